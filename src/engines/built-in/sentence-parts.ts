/** Where a sentence that came back wanting is cut, to be asked for part by part. */
import { stripInlineTags } from '../../inline-tags.ts';
import { splitSentences, splitText } from '../../language/sentences.ts';
import { asSpoken } from './lost-sentences.ts';
import type { Piece } from './pieces.ts';
import { type DraftRequest, missingIn, type Sentence, sentenceOf } from './sentence.ts';
import { findTermPlaces, type TermPlace } from './term-places.ts';

export function sentencesOf({ piece }: Sentence, request: DraftRequest): Sentence[] {
  return spokenParts(piece, splitSentences(piece.text, request.sourceLang), request);
}

export function clausesOf({ piece }: Sentence, request: DraftRequest): Sentence[] {
  const text = stripInlineTags(piece.text);
  return spokenParts(piece, splitText(text, request.sourceLang, clauseCharacters), request);
}

/** A name at the end is overlooked less often than one in the middle. */
export function cutBehindNames(whole: Sentence, request: DraftRequest): Sentence[] {
  const text = stripInlineTags(whole.source);
  const ends = missedPlaces(whole, text, request).map(({ end }) => behindMarks(text, end));
  const parts = [0, ...ends].map((start, i) => text.slice(start, ends[i]));
  return spokenParts(whole.piece, parts, request);
}

/** The names stay as they are. */
export function cutAroundNames(whole: Sentence, request: DraftRequest): Sentence[] {
  const text = stripInlineTags(whole.source);
  let from = 0;
  const parts: Sentence[] = [];
  for (const { start, end, target } of missedPlaces(whole, text, request)) {
    const next = behindMarks(text, end);
    parts.push(...spokenParts(whole.piece, [text.slice(from, start).replace(/\p{L}+'$/u, '')], request));
    const name = { text: target + text.slice(end, next), weight: 0 };
    parts.push({ ...sentenceOf({ text: target, after: '' }, request), best: name });
    from = next;
  }
  return [...parts, ...spokenParts(whole.piece, [text.slice(from)], request)];
}

function missedPlaces(whole: Sentence, text: string, { terms, sourceLang }: DraftRequest): TermPlace[] {
  const missing = missingIn(whole);
  return findTermPlaces(text, terms, sourceLang).filter(({ target }) => missing.has(target));
}

function behindMarks(text: string, end: number): number {
  return end + (/^[,.;:!?…")\]]*/u.exec(text.slice(end))?.[0].length ?? 0);
}

/** About a dozen words. */
const clauseCharacters = 80;

function spokenParts(piece: Piece, parts: readonly string[], request: DraftRequest): Sentence[] {
  const trimmed = parts.map((part) => part.trim()).filter((part) => part !== '');
  return asSpoken(piece.text, trimmed).map((text) => sentenceOf({ text, after: '' }, request));
}
