import { isFormOf } from '../language/inflection.ts';
import { isUnspaced, script, scriptAt } from '../language/scripts.ts';
import { stopWordsOf } from '../language/stop-words.ts';
import { foldCase, normalizeForMatching } from './match.ts';

/**
 * Whether a rendering occurs in a translation: by stem in languages with endings ("Анны" applies "Анна"), as a plain
 * substring where words have no spaces. `partial`: one part of a several-part name is enough, for aliases that have no
 * rendering of their own. The text is prepared once, because many terms are looked up in it.
 */
export function appliedIn(text: TargetText, target: string, language: string, partial: boolean): boolean {
  const { folded } = text;
  const wanted = foldTarget(target);
  if (wanted === '') return true;
  const first = scriptAt(wanted, 0);
  if (isUnspaced(first) || first === script.hangul) {
    if (folded.includes(wanted)) return true;
    // Name dots and spaces between parts vary; the parts themselves do not.
    const parts = wanted.split(/[\s・=-]+/).filter((part) => part.length > 0);
    return partial
      ? parts.some((part) => part.length > 1 && folded.includes(part))
      : joined(folded).includes(parts.join(''));
  }
  if (first === script.arabic || first === script.hebrew) {
    if (folded.includes(wanted)) return true;
    return partial && wanted.split(' ').some((part) => part.length > 2 && folded.includes(part));
  }
  // By whole words: "Li Fanking" does not apply "Li Fan".
  text.words ??= wordsOf(folded);
  return wordsApplied(text.words, wordsOf(wanted), language, partial);
}

/**
 * A word of the source term that stands beside its rendering: "Puerto Calm Harbour" for Puerto Calmo. Half a term is not
 * applied. Words that the rendering has too, and small words of the target language, are none.
 */
export function leftoverOf(text: TargetText, term: RenderedTerm, language: string): string | undefined {
  const [source, target] = [foldTarget(term.source), foldTarget(term.target)];
  if (target === '' || source === target) return undefined;
  if (!isSpaced(source) || !isSpaced(target)) return unspacedLeftover(text.folded, source, target);
  text.words ??= wordsOf(text.folded);
  const wanted = wordsOf(target);
  const small = stopWordsOf(language);
  const left = new Set(wordsOf(source).filter((word) => !wanted.includes(word) && !small.has(word)));
  if (left.size === 0) return undefined;
  for (const { start, end } of occurrencesOf(text.words, contentOf(wanted), language)) {
    const beside = [text.words[start - 1], text.words[end], ...text.words.slice(start, end)];
    // One small word may stand between: "Puerto de Calm Harbour".
    if (isLink(text.words[start - 1])) beside.push(text.words[start - 2]);
    const found = beside.find((word) => word !== undefined && left.has(word));
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface RenderedTerm {
  source: string;
  target: string;
}

const links = new Set('de del della di du des la le el los las van von der den of the'.split(' '));

function isLink(word: string | undefined): boolean {
  return word !== undefined && links.has(word);
}

function isSpaced(text: string): boolean {
  const first = scriptAt(text, 0);
  return !isUnspaced(first) && first !== script.hangul;
}

/** Characters of the term that touch a rendering in another script: 平Harbour. */
function unspacedLeftover(text: string, source: string, target: string): string | undefined {
  if (isUnspaced(scriptAt(target, 0))) return undefined;
  for (let at = text.indexOf(target); at >= 0; at = text.indexOf(target, at + target.length)) {
    const beside = `${text.slice(0, at).trimEnd().slice(-1)}${text
      .slice(at + target.length)
      .trimStart()
      .slice(0, 1)}`;
    const found = [...beside].find((character) => /\p{L}/u.test(character) && source.includes(character));
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface TargetText {
  folded: string;
  /** Filled when they are first needed. */
  words?: string[];
}

export function targetText(text: string): TargetText {
  return { folded: foldTarget(text) };
}

function contentOf(wanted: readonly string[]): readonly string[] {
  const content = wanted.filter((word) => word.length > 2 || wanted.length === 1);
  return content.length > 0 ? content : wanted;
}

function wordsApplied(words: string[], wanted: string[], language: string, partial: boolean): boolean {
  const needed = contentOf(wanted);
  if (partial) return needed.some((base) => words.some((word) => isFormOf(word, base, language)));
  return occurrencesOf(words, needed, language).next().done !== true;
}

/** Ranges of words that a rendering takes. */
function* occurrencesOf(
  words: readonly string[],
  needed: readonly string[],
  language: string,
): Generator<{ start: number; end: number }> {
  // In order, with at most two words between them, because a name's parts stay together. Small words differ: "the Order
  // of the Silver Thorn" / "des Silbernen Dornenordens".
  for (let start = 0; start < words.length; start++) {
    let position = start;
    let matched = 0;
    while (matched < needed.length && position < words.length && position - start <= needed.length + 2 * matched) {
      if (isFormOf(words[position] ?? '', needed[matched] ?? '', language)) matched++;
      else if (matched === 0) break;
      position++;
    }
    if (matched === needed.length) yield { start, end: position };
  }
}

/** Diacritics do not count: "José" applies "Jose". Hangul and kana are left whole (NFD would take them apart). */
export function foldTarget(text: string): string {
  const plain = foldCase(normalizeForMatching(text)).replace(/ +/g, ' ').trim();
  return plain
    .normalize('NFD')
    .replace(/(?<=[a-zα-ωа-я])\p{Mn}+/gu, '')
    .normalize('NFC');
}

function joined(text: string): string {
  return text.replace(/[\s・=-]+/g, '');
}

/** A scanned "Ana120" is "Ana" and a number, as it is where the source is looked through. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
}
