/** Has the sheet of a book written: once, after its names are settled, and never at the cost of the book. */
import type { SheetRequest, SheetResult } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import type { CheckpointRecord } from './checkpoint.ts';
import { mergeSheets, readSheet, type Sheet, sheetLines } from './sheet.ts';

export type WriteSheet = (request: SheetRequest) => Promise<SheetResult>;

export interface SheetInput {
  sourceLang: string;
  targetLang: string;
  style?: string | undefined;
  background?: string | undefined;
  /** Paragraphs that are new, without inline tags, in the order of the book. */
  texts: readonly string[];
  core: SheetRequest['terms'];
  /** What the series has settled. */
  known: Sheet | undefined;
  isInSeries: boolean;
  /** Absent when no engine can write one. */
  writeSheet: WriteSheet | undefined;
  saved: readonly CheckpointRecord[];
  save: (record: CheckpointRecord) => Promise<void>;
}

/**
 * From so many characters on that are new. A preview or a sample pays more for the call than for its text and gets none of its own. A
 * series gets one from its first chapter, once, and a volume with new people adds to it; a further chapter only follows it.
 */
const leastCharacters = { alone: 20_000, inSeries: 2_000, knownSeries: 100_000 };
const attempts = 2;

/** The same after a restart. */
export async function sheetOf(input: SheetInput): Promise<Sheet | undefined> {
  const savedSheet = input.saved.find((record) => record.kind === 'sheet');
  if (savedSheet !== undefined) return savedSheet.sheet ?? undefined;
  const written = isWorthIt(input) ? await ask(input) : undefined;
  const sheet = mergeSheets(input.known, written);
  await input.save({ kind: 'sheet', key: 'sheet', sheet: sheet ?? null });
  return sheet;
}

function isWorthIt({ texts, known, isInSeries, writeSheet }: SheetInput): boolean {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const { alone, inSeries, knownSeries } = leastCharacters;
  return writeSheet !== undefined && characters >= (known ? knownSeries : isInSeries ? inSeries : alone);
}

async function ask(input: SheetInput): Promise<Sheet | undefined> {
  const { sourceLang, targetLang, style, background, known, core, writeSheet } = input;
  const request: SheetRequest = {
    sourceLang,
    targetLang,
    text: stretchesOf(input.texts).join('\n\n'),
    terms: core,
    known: known === undefined ? [] : sheetLines(known),
    ...(style === undefined ? {} : { style }),
    ...(background === undefined ? {} : { background }),
  };
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const answer = await writeSheet?.(request);
      const sheet = readSheet(answer?.fields);
      if (sheet !== undefined) return sheet;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // An engine that is away is noticed by the calls that the book cannot do without.
      if (!error.isAboutText) return undefined;
    }
  }
  return undefined;
}

const openingCharacters = 3_000;
const stretches = 6;
const stretchCharacters = 900;
const stretchParagraphs = 12;

/** The opening, and across the rest of the book the stretches with the most dialogue: how people speak to each other is seen nowhere else. */
export function stretchesOf(texts: readonly string[]): string[] {
  const filled = texts.filter((text) => text.trim() !== '');
  const opening = cut(filled, 0, openingCharacters, Number.POSITIVE_INFINITY);
  const from = opening.length;
  const size = Math.ceil((filled.length - from) / stretches);
  const chosen = [opening.join('\n')];
  for (let start = from; size > 0 && start < filled.length; start += size) {
    const at = liveliest(filled, start, Math.min(start + size, filled.length));
    chosen.push(cut(filled, at, stretchCharacters, stretchParagraphs).join('\n'));
  }
  return chosen.filter((stretch) => stretch !== '');
}

/** Where the most of the next paragraphs are spoken. */
function liveliest(texts: readonly string[], from: number, to: number): number {
  const spoken = texts.slice(from, to).map((text) => (isSpoken(text) ? 1 : 0));
  let [best, most] = [from, -1];
  let current = 0;
  for (let end = 0; end < spoken.length; end++) {
    current += spoken[end] ?? 0;
    if (end >= stretchParagraphs) current -= spoken[end - stretchParagraphs] ?? 0;
    if (current > most) [best, most] = [from + Math.max(0, end - stretchParagraphs + 1), current];
  }
  return best;
}

function isSpoken(text: string): boolean {
  return /^\s*[—–―「『“„«"‘]|[“„«「"].+[”“»」"]/u.test(text);
}

function cut(texts: readonly string[], from: number, characters: number, paragraphs: number): string[] {
  const taken: string[] = [];
  let left = characters;
  for (let at = from; at < texts.length && taken.length < paragraphs && left > 0; at++) {
    const text = texts[at] ?? '';
    taken.push(text.length <= left ? text : `${text.slice(0, left).toWellFormed()}…`);
    left -= text.length;
  }
  return taken;
}
