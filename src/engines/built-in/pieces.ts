/**
 * Cuts a paragraph into what the model translates at once. Whole short paragraphs read better than their sentences one by
 * one (a line of dialogue keeps its "he said", pronouns agree); long ones lose clauses. Verse goes line by line. Tags
 * around a whole piece stay where they are and the model never sees them.
 */
import { inlineTagsNest } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { splitSentences, splitText } from '../../language/sentences.ts';
import { normalizeSource } from './normalize.ts';

export interface Piece {
  text: string;
  /** What stood between this piece and the next. */
  after: string;
  /** Whether somebody is speaking already when it begins, and still when it ends. */
  spoken?: { before: boolean; after: boolean };
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
  for (const run of text.split(/(?<=\n)/u).flatMap(splitRuns)) {
    const { before, inner, after } = withoutEdges(run);
    appendGap(pieces, before);
    if (inner !== '') pieces.push(...cutLine(inner, language, count));
    appendGap(pieces, after);
  }
  return pieces;
}

/**
 * English opens a speech once, however many sentences it has. The model would read all but the first of its parts as narration, so each
 * is told where it stands.
 */
export function markSpeech(pieces: readonly Piece[], language: string, isOpen = false): Piece[] {
  if (baseCode(language) !== 'en') return [...pieces];
  let open = isOpen;
  return pieces.map((piece) => {
    const before = open;
    if (normalizeSource(piece.text).split('"').length % 2 === 0) open = !open;
    // A paragraph that begins anew with a mark after one without an end goes on speaking.
    const spoken = { before: before && !/^(?:<\d{1,6}>)*["“]/u.test(piece.text), after: open };
    return before || open ? { ...piece, spoken } : piece;
  });
}

/** Sentences that are set off one by one, as in a letter in italics: the formatting of each is its own. */
function splitRuns(line: string): string[] {
  const runs = line.split(/(?<=[.,;:!?…]["”»]?<\/\d{1,6}>)(?=\s+<\d{1,6}>)/u);
  return runs.every(inlineTagsNest) ? runs : [line];
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

/** White space, things without text, and pairs of tags around everything. */
function withoutEdges(run: string): { before: string; inner: string; after: string } {
  let [start, end] = [0, run.length];
  for (;;) {
    const inner = run.slice(start, end);
    const lead = /^(?:\s|<\d{1,6}\/>)+/u.exec(inner)?.[0].length ?? 0;
    const tail = lead === inner.length ? 0 : trailingEdge(inner);
    const [, open, number] = /^(<(\d{1,6})>)/.exec(inner) ?? [];
    const close = `</${number}>`;
    if (lead + tail > 0) {
      start += lead;
      end -= tail;
    } else if (open !== undefined && inner.endsWith(close) && inlineTagsNest(inner)) {
      start += open.length;
      end -= close.length;
    } else return { before: run.slice(0, start), inner, after: run.slice(end) };
  }
}

/** Looked for from the end: a pattern that may begin at every blank would take the square of the length. */
function trailingEdge(text: string): number {
  let end = text.length;
  for (;;) {
    end = text.slice(0, end).trimEnd().length;
    const tag = /<\d{1,6}\/>$/.exec(text.slice(Math.max(0, end - 9), end))?.[0];
    if (tag === undefined) return text.length - end;
    end -= tag.length;
  }
}

function appendGap(pieces: Piece[], gap: string): void {
  const last = pieces.at(-1);
  if (last !== undefined) last.after += gap;
  else if (gap !== '') pieces.push({ text: '', after: gap });
}
