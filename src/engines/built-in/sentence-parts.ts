/** Where a sentence that came back wanting is cut, to be asked for part by part. */
import { stripInlineTags } from '../../inline-tags.ts';
import { splitSentences, splitText } from '../../language/sentences.ts';
import { asSpoken } from './lost-sentences.ts';
import { normalizeSource } from './normalize.ts';
import { markSpeech } from './pieces.ts';
import { missingIn, type Sentence, sentenceOf } from './sentence.ts';
import { findTermPlaces, type TermPlace } from './term-places.ts';

export function sentencesOf(whole: Sentence): Sentence[] {
  return spokenParts(whole, splitSentences(whole.piece.text, whole.context.sourceLang));
}

export function clausesOf(whole: Sentence): Sentence[] {
  const text = stripInlineTags(whole.piece.text);
  return spokenParts(whole, splitText(text, whole.context.sourceLang, clauseCharacters));
}

/** A name at the end is overlooked less often than one in the middle. */
export function cutBehindNames(whole: Sentence): Sentence[] {
  const text = plainText(whole);
  const ends = missedPlaces(whole, text).map(({ end }) => behindMarks(text, end));
  return spokenParts(
    whole,
    [0, ...ends].map((start, i) => text.slice(start, ends[i])),
  );
}

/** The names stay as they are. */
export function cutAroundNames(whole: Sentence): Sentence[] {
  const text = plainText(whole);
  let from = 0;
  const parts: Sentence[] = [];
  for (const { start, end, target } of missedPlaces(whole, text)) {
    const next = behindMarks(text, end);
    parts.push(...spokenParts(whole, [text.slice(from, start).replace(/\p{L}+'$/u, '')]));
    const name = { text: target + text.slice(end, next), weight: 0 };
    parts.push({ ...sentenceOf({ text: target, after: '' }, whole.context), best: name });
    from = next;
  }
  return [...parts, ...spokenParts(whole, [text.slice(from)])];
}

function plainText({ piece }: Sentence): string {
  return stripInlineTags(normalizeSource(piece.text));
}

function missedPlaces(whole: Sentence, text: string): TermPlace[] {
  const missing = missingIn(whole);
  const { terms, sourceLang } = whole.context;
  return findTermPlaces(text, terms, sourceLang).filter(({ target }) => missing.has(target));
}

function behindMarks(text: string, end: number): number {
  return end + (/^[,.;:!?…")\]]*/u.exec(text.slice(end))?.[0].length ?? 0);
}

/** About a dozen words. */
const clauseCharacters = 80;

function spokenParts({ piece, context }: Sentence, parts: readonly string[]): Sentence[] {
  const trimmed = parts.map((part) => part.trim()).filter((part) => part !== '');
  const spoken = asSpoken(piece.text, trimmed).map((text) => ({ text, after: '' }));
  const open = piece.spoken?.before ?? false;
  return markSpeech(spoken, context.sourceLang, open).map((part) => sentenceOf(part, context));
}
