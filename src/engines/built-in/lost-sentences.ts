/** Whether a translation dropped sentences of its source, as the model does in paragraphs, and how parts become one text again. */
import { baseCode } from '../../language/languages.ts';
import { stopWordsOf } from '../../language/stop-words.ts';

/**
 * How many sentences seem to be gone. Two that were joined ("she rose, and he left") are not: what ended a sentence in the
 * source is then a joint in the translation.
 */
export function lostSentences(source: string, translation: string, { targetLang }: { targetLang: string }): number {
  const shortest = baseCode(targetLang) === 'en' ? shortestEnglish : shortestOther;
  const short = source.length >= 50 && translation.length < shortest * source.length ? 1 : 0;
  const missing = sentenceEnds(source) - sentenceEnds(translation);
  if (missing <= 0) return short;
  const joined = Math.max(0, joints(translation) - joints(source));
  return Math.max(short, missing - joined);
}

/** English needs about 0.9 characters for one of the other languages. */
const shortestEnglish = 0.6;
const shortestOther = 0.7;

/** Of a short text, the model sometimes writes nothing but "CHAPTER IX." */
export function isInventedHeading(source: string, translation: string): boolean {
  return headingAlone.test(translation) && !headingAlone.test(source);
}

const headingAlone = /^["—]?\s*(?:chapter|chapitre|cap[ií]tulo|capitolo|kapitel|глава)\s+[\p{L}\d]+\.?"?$/iu;

/** Not a full stop after a title or an initial, and not "Stop!" when "he said" follows. */
function sentenceEnds(text: string): number {
  const ends = text.matchAll(/(?<before>\p{L}*)(?<mark>[.!?…]+)["')\]]*(?=(?<next>\s*—?\s*\S?))/gu);
  let count = 0;
  for (const { groups } of ends) {
    const { before = '', mark = '', next = '' } = groups ?? {};
    if (mark === '.' && (before.length === 1 || titles.has(before))) continue;
    if (next !== '' && !/^\s/u.test(next)) continue;
    if (!/\p{Ll}$/u.test(next)) count++;
  }
  return count;
}

const titles = new Set('Mr Mrs Ms Dr St Mme Mlle Sr Sra Srta Hr Fr Prof'.split(' '));

function joints(text: string): number {
  return (
    text.match(
      /[;:]| — |, "|, (?:and|but|for|or|so|while|et|mais|car|ou|y|e|pero|o|und|aber|denn|ma|mas|и|но|а)(?=\s)/gu,
    )?.length ?? 0
  );
}

const speechDash = /^[—–-]\s*/u;

/** The sentences of a piece for one try each. In a line of dialogue each begins with the dash, or it would be read as narration. */
export function asSpoken(piece: string, sentences: readonly string[]): string[] {
  const dash = speechDash.exec(piece)?.[0] ?? '';
  return sentences.map((sentence) => (speechDash.test(sentence) ? sentence : dash + sentence));
}

/** A part of a sentence as the model answers it, with a full stop and a capital, as it stands inside of the sentence. */
export function asPart(source: string, translation: string, isLast: boolean, targetLang: string): string {
  const ended = isLast || /[.!?…]["')\]]*$/u.test(source) ? translation : translation.replace(/\.(?="?$)/u, '');
  if (!/^(?:[—–-]\s*)?\p{Ll}/u.test(source)) return ended;
  return ended.replace(/^(["—]?\s*)(\p{Lu}\p{Ll}*)(?![\p{L}\p{M}'])/u, (all, quote: string, word: string) =>
    word !== 'I' && stopWordsOf(targetLang).has(word.toLowerCase()) ? quote + word.toLowerCase() : all,
  );
}

/** Speech that goes on is opened and closed once. */
export function joinSpoken(translations: readonly string[]): string {
  return translations.reduce((text, next) => {
    if (!next.startsWith('"')) return `${text} ${next}`;
    const open = (text.split('"').length - 1) % 2 === 1;
    if (open) return `${text} ${next.slice(1)}`;
    return /[.!?…,]"$/u.test(text) ? `${text.slice(0, -1)} ${next.slice(1)}` : `${text} ${next}`;
  });
}

/** The model sometimes forgets the mark at the end of a line of dialogue. */
export function closeSpeech(source: string, translation: string): string {
  const open = speechDash.test(source) && translation.startsWith('"') && (translation.split('"').length - 1) % 2 === 1;
  return open && !translation.endsWith('"') ? `${translation}"` : translation;
}
