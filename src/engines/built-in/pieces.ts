/**
 * Cuts a paragraph into what the model translates at once. Whole short paragraphs read better than their sentences one by
 * one (a line of dialogue keeps its "he said", pronouns agree); long ones lose clauses. Verse goes line by line.
 */
import { splitSentences, splitText } from '../../language/sentences.ts';

export interface Piece {
  text: string;
  /** What stood between this piece and the next. */
  after: string;
}

/** Up to here a paragraph stays whole. */
const wholeTokens = 100;
/** Longer ones become groups of sentences of about this size. */
const groupTokens = 80;
/** The model was trained on up to 200. */
export const maxPieceTokens = 190;

/** The pieces with what stood between them are the text. `count` says how many tokens the model makes of a text. */
export function cutPieces(text: string, language: string, count: (text: string) => number): Piece[] {
  const pieces: Piece[] = [];
  for (const line of text.split(/(?<=\n)/u)) {
    const { before, inner, after } = trimmed(line);
    if (pieces.length > 0 || before !== '') appendGap(pieces, before);
    if (inner === '') appendGap(pieces, after);
    else {
      pieces.push(...cutLine(inner, language, count));
      appendGap(pieces, after);
    }
  }
  return pieces;
}

function cutLine(line: string, language: string, count: (text: string) => number): Piece[] {
  if (count(line) <= wholeTokens) return [{ text: line, after: '' }];
  const groups: { text: string; tokens: number; sentences: number }[] = [];
  for (const sentence of splitSentences(line, language).flatMap((one) => cutLong(one, language, count))) {
    const tokens = count(sentence);
    const last = groups.at(-1);
    if (last !== undefined && last.sentences < 4 && last.tokens + tokens <= groupTokens) {
      last.text += sentence;
      last.tokens += tokens;
      last.sentences += 1;
    } else groups.push({ text: sentence, tokens, sentences: 1 });
  }
  return groups.map(({ text }) => {
    const inner = text.trimEnd();
    return { text: inner, after: text.slice(inner.length) };
  });
}

/** A sentence that is too long by itself is cut at its clauses, finer until every part fits. */
function cutLong(sentence: string, language: string, count: (text: string) => number): string[] {
  let parts = [sentence];
  for (
    let limit = sentence.length >> 1;
    limit >= 20 && parts.some((part) => count(part) > maxPieceTokens);
    limit >>= 1
  ) {
    parts = parts.flatMap((part) => (count(part) > maxPieceTokens ? splitText(part, language, limit) : [part]));
  }
  return parts;
}

function trimmed(line: string): { before: string; inner: string; after: string } {
  const inner = line.trim();
  const start = inner === '' ? line.length : line.indexOf(inner);
  return { before: line.slice(0, start), inner, after: line.slice(start + inner.length) };
}

function appendGap(pieces: Piece[], gap: string): void {
  const last = pieces.at(-1);
  if (last !== undefined) last.after += gap;
  else if (gap !== '') pieces.push({ text: '', after: gap });
}
