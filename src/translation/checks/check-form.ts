import { inlineTagsNest, inlineTagsOf } from '../../inline-tags.ts';
import { headingTitle } from '../../language/headings.ts';
import type { CheckInput } from './checked-unit.ts';
import { type Fault, faultOf } from './fault.ts';

/** Tags, loops, numbers, quotation marks and line breaks. */
export function checkForm(input: CheckInput): Fault[] {
  const faults: Fault[] = [];
  if (!sameTags(input.source, input.translation)) {
    faults.push(
      faultOf(
        'tags',
        input.id,
        'The numbered tags such as <1> and </1> must be the same as in the text: none missing, none added, properly nested.',
      ),
    );
  }
  if (repeats(input.cleanTranslation) && !repeats(input.cleanSource)) {
    faults.push(
      faultOf('repetition', input.id, 'The translation repeats itself without end. Translate the text once.'),
    );
  }
  if (losesTitle(input)) {
    faults.push(faultOf('title-lost', input.id, 'The words of the heading are missing. Translate the whole heading.'));
  }
  if (missesNumbers(input.cleanSource, input.cleanTranslation))
    faults.push(faultOf('numbers', input.id, 'A number of the text is missing.'));
  if (unbalanced(input.cleanTranslation) && !unbalanced(input.cleanSource)) {
    faults.push(faultOf('quotes', input.id, 'Quotation marks or brackets are not closed.'));
  }
  if (input.kind === 'verse' && linesOf(input.cleanSource) !== linesOf(input.cleanTranslation)) {
    faults.push(faultOf('line-breaks', input.id, 'The number of lines differs from the text.'));
  }
  return faults;
}

export function sameTags(source: string, translation: string): boolean {
  const [wanted, found] = [inlineTagsOf(source), inlineTagsOf(translation)];
  if (wanted.length === 0 && found.length === 0) return true;
  return wanted.length === found.length && wanted.every((tag, i) => tag === found[i]) && inlineTagsNest(translation);
}

/** One character more than 20 times in a row, or an ending that repeats at least 3 times over 48 characters. */
function repeats(text: string): boolean {
  if (/([^\s.…·。—–\-_=~*])\1{20,}/u.test(text)) return true;
  const tail = text.slice(-2_000);
  const reversed = tail.split('').reverse().join('');
  const z = zFunction(reversed);
  for (let period = 1; period * 3 <= reversed.length; period++) {
    const covered = (z[period] ?? 0) + period;
    if (covered >= 48 && covered >= 3 * period && /\p{L}/u.test(reversed.slice(0, period))) return true;
  }
  return false;
}

/** z[i] = length of the common beginning of the text and its part from i; linear. */
function zFunction(text: string): Int32Array {
  const z = new Int32Array(text.length);
  let left = 0;
  let right = 0;
  for (let i = 1; i < text.length; i++) {
    let length = i < right ? Math.min(right - i, z[i - left] ?? 0) : 0;
    while (i + length < text.length && text.charCodeAt(length) === text.charCodeAt(i + length)) length++;
    z[i] = length;
    if (i + length > right) [left, right] = [i, i + length];
  }
  return z;
}

/** Of "IX — The evening" only "Chapter IX." is left. Short words may be a number that is spelled out. */
function losesTitle({ kind, cleanSource, cleanTranslation }: CheckInput): boolean {
  if (kind !== 'heading' && kind !== 'label') return false;
  const title = headingTitle(cleanSource) ?? '';
  const words = title.match(/[\p{L}\p{M}]+/gu) ?? [];
  const isTitle = words.length >= 2 || /\p{Script=Han}{4}|\p{Script=Hangul}{4}|\p{L}{8}/u.test(title);
  return isTitle && headingTitle(cleanTranslation) === '';
}

/** Numbers of two digits or more; small ones are often written out. */
function missesNumbers(source: string, translation: string): boolean {
  const wanted = numbersOf(source);
  if (wanted.length === 0) return false;
  const translatedNumbers = new Set(numbersOf(translation));
  return wanted.some((number) => !translatedNumbers.has(number));
}

function numbersOf(text: string): string[] {
  const plain = text.normalize('NFKC').replace(/(?<=\d)[,.\s'’](?=\d{3}(?!\d))/g, '');
  return plain.match(/\d{2,}/g) ?? [];
}

const pairs = ['“”', '«»', '「」', '『』', '（）', '()', '《》', '【】'];

function unbalanced(text: string): boolean {
  if (!/[“”«»「」『』（）()《》【】]/u.test(text)) return false;
  return pairs.some(([open = '', close = '']) => {
    const [opened, ended] = [text.split(open).length, text.split(close).length];
    // German and Polish close with “, several languages reopen at each paragraph of a speech.
    return open === '“' ? ended > opened && !text.includes('„') : opened !== ended && !text.includes('»…«');
  });
}

function linesOf(text: string): number {
  return text.split('\n').length;
}
