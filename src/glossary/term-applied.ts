import { isFormOf } from '../language/inflection.ts';
import { isUnspaced, script, scriptAt } from '../language/scripts.ts';
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

export interface TargetText {
  folded: string;
  /** Filled when they are first needed. */
  words?: string[];
}

export function targetText(text: string): TargetText {
  return { folded: foldTarget(text) };
}

function wordsApplied(words: string[], wanted: string[], language: string, partial: boolean): boolean {
  const content = wanted.filter((word) => word.length > 2 || wanted.length === 1);
  const needed = content.length > 0 ? content : wanted;
  if (partial) return needed.some((base) => words.some((word) => isFormOf(word, base, language)));
  // In order, with at most two words between them: "the Order of the Silver Thorn" / "des Silbernen Dornenordens" differ
  // in small words, and a name's parts stay together.
  for (let start = 0; start < words.length; start++) {
    let position = start;
    let matched = 0;
    while (matched < needed.length && position < words.length && position - start <= needed.length + 2 * matched) {
      if (isFormOf(words[position] ?? '', needed[matched] ?? '', language)) matched++;
      else if (matched === 0) break;
      position++;
    }
    if (matched === needed.length) return true;
  }
  return false;
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
