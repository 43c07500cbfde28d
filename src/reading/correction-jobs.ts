/**
 * Corrections as they were sent, read and matched inside the sandbox. The file is a stranger's, and a book with as many paragraphs as
 * units takes a second. What is taken goes back in parts, because as one answer it would hold up the process that gets it.
 */
import { type EditedUnit, exportedHash } from '../correction.ts';
import { AppError, badRequest } from '../errors.ts';
import { findTerms, indexTerms, type MatchableTerm } from '../glossary/match.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { InterchangeLanguages } from '../interchange/interchange-languages.ts';
import {
  type CorrectableBlock,
  type MatchCounts,
  matchCorrections,
  type TakenText,
} from '../interchange/match-corrections.ts';
import { readCorrections } from '../interchange/read-corrections.ts';
import { type KnownPlace, matchSeries, type SeriesCounts, type TakenParagraph } from '../series/match-corrections.ts';
import { contextAt, textKey } from '../translation/memory/block-keys.ts';
import { type Replacement, replaceTerm } from './replace-term.ts';
import { parsedJson } from './sent-json.ts';

export interface SentCorrections {
  /** What they are corrections of decides what JSON looks like. */
  of: 'task' | 'series';
  form: 'json' | 'file';
  body: Uint8Array;
  languages: InterchangeLanguages;
}

/** A series, as its host reads it. */
export interface SeriesHost {
  find(texts: readonly string[]): Promise<readonly KnownPlace[]>;
  take(paragraphs: readonly TakenParagraph[]): Promise<void>;
}

/** A finished book, as its host reads it. */
export interface BookHost {
  chapter(number: number): Promise<CorrectableBlock[]>;
  take(texts: readonly PlacedText[]): Promise<void>;
  approve(blockIds: readonly string[]): Promise<void>;
}

export interface BookJob {
  chapters: number;
  /** Whether it matters where in the book a paragraph stands. */
  inSeries: boolean;
}

/** A text with the place of its paragraph between others, where it is said of one paragraph. */
export interface PlacedText extends TakenText {
  context: number | undefined;
}

const unitsPerPart = 250;
const idsPerPart = 5_000;
/** A file holds the paragraphs that nobody edited too: a novel of 3 million characters has about 30,000. */
export const maxUnits = 100_000;
/** Of a list of a series. */
export const maxCorrections = 20_000;

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function matchSeriesCorrections(
  { sent, replaces }: { sent: SentCorrections; replaces: boolean },
  host: SeriesHost,
): Promise<SeriesCounts> {
  const find = (texts: readonly string[]) => host.find(texts);
  const { taken, counts } = await matchSeries(await unitsOf(sent), find, { isFile: sent.form === 'file', replaces });
  for (let at = 0; at < taken.length; at += unitsPerPart) await host.take(taken.slice(at, at + unitsPerPart));
  return counts;
}

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function matchSentCorrections(
  { sent, replaces, ...job }: BookJob & { sent: SentCorrections; replaces: boolean },
  host: BookHost,
): Promise<MatchCounts> {
  const units = await unitsOf(sent);
  const blocks = await blocksOf(job, host);
  const { texts, approved, counts } = matchCorrections(units, blocks, { isFile: sent.form === 'file', replaces });
  await give(texts, blocks, job, host);
  for (let at = 0; at < approved.length; at += idsPerPart) await host.approve(approved.slice(at, at + idsPerPart));
  return counts;
}

/** Returns how many paragraphs change. @throws BAD_REQUEST for one that would be too long */
export async function replaceTermInBook(
  { replacement, forms, ...job }: BookJob & { replacement: Replacement; forms: readonly string[] },
  host: BookHost,
): Promise<number> {
  const blocks = await blocksOf(job, host);
  const texts = replaceTerm(blocks, forms, replacement);
  await give(texts, blocks, job, host);
  return texts.length;
}

/** Where a name stands in a book, as a memory knows paragraphs. */
export interface NamePlace {
  /** The number of the name. */
  name: number;
  text: string;
  context: number;
}

/** Every paragraph with one of some names, once. */
export async function findNames(
  { chapters, names, language }: { chapters: number; names: readonly MatchableTerm[]; language: string },
  host: { sources(chapter: number): Promise<string[]> },
): Promise<NamePlace[]> {
  const sources: string[] = [];
  for (let number = 0; number < chapters; number++)
    for (const source of await host.sources(number)) sources.push(source);
  const index = indexTerms(names, language);
  const numbers = new Map(names.map((name, i) => [name, i]));
  const places = new Map<string, NamePlace>();
  for (const [at, source] of sources.entries())
    for (const { term } of findTerms(stripInlineTags(source), index)) {
      const context = contextAt(sources, at);
      const place = { name: numbers.get(term) ?? 0, text: textKey(source), context: context ?? 0 };
      if (context !== undefined) places.set(Object.values(place).join(' '), place);
    }
  return [...places.values()];
}

async function blocksOf({ chapters }: BookJob, host: BookHost): Promise<CorrectableBlock[]> {
  const blocks: CorrectableBlock[] = [];
  for (let number = 0; number < chapters; number++) for (const block of await host.chapter(number)) blocks.push(block);
  return blocks;
}

async function give(
  texts: readonly TakenText[],
  blocks: readonly CorrectableBlock[],
  { inSeries }: BookJob,
  host: BookHost,
): Promise<void> {
  const sources = blocks.map(({ source }) => source);
  const places = new Map(inSeries ? blocks.map(({ id }, at) => [id, at]) : []);
  const contextOf = ({ isOfText, blockIds: [id = ''] }: TakenText): number | undefined => {
    const at = isOfText ? undefined : places.get(id);
    return at === undefined ? undefined : contextAt(sources, at);
  };
  for (let at = 0; at < texts.length; at += unitsPerPart)
    await host.take(texts.slice(at, at + unitsPerPart).map((text) => ({ ...text, context: contextOf(text) })));
}

async function unitsOf({ of, form, body, languages }: SentCorrections): Promise<EditedUnit[]> {
  if (form === 'json') return of === 'series' ? listOfSeries(parsedJson(body)) : listOfTask(parsedJson(body));
  const units = await readCorrections(body, languages);
  if (units.length <= maxUnits) return units;
  throw tooMany('file', `The file has more than ${maxUnits} units; send it in parts.`, maxUnits);
}

function listOfSeries(body: unknown): EditedUnit[] {
  if (!Array.isArray(body) || body.length === 0)
    throw fault('Send [{"source": "…", "target": "…"}], or an XLIFF or TMX file.');
  if (body.length > maxCorrections) {
    const message = `There are more than ${maxCorrections} corrections; send them in parts.`;
    throw tooMany('corrections', message, maxCorrections);
  }
  return body.map((entry: unknown, index) => {
    const { source, target, exported, ...others } = (entry ?? {}) as Record<string, unknown>;
    if (typeof source !== 'string' || source === '' || typeof target !== 'string' || Object.keys(others).length > 0)
      throw fault('A correction has a source, a target and perhaps `exported`, all text, and nothing else.', index);
    return { id: undefined, source, target, ...exportedOf(exported, index) };
  });
}

function listOfTask(body: unknown): EditedUnit[] {
  const list = (body as { corrections?: unknown } | null)?.corrections;
  if (!Array.isArray(list)) throw fault('Send {"corrections": [{"source", "target"}]}, or an XLIFF or TMX file.');
  if (list.length > maxUnits) {
    const message = `There are more than ${maxUnits} corrections; send them in parts.`;
    throw tooMany('corrections', message, maxUnits);
  }
  return list.map((entry: unknown, index) => {
    const { block_id, source, target, exported } = (entry ?? {}) as Record<string, unknown>;
    if (typeof source !== 'string' || typeof target !== 'string')
      throw fault('A correction has a source and a target, both text.');
    if (!`${source}${target}`.isWellFormed() || `${source}${target}`.includes('\0'))
      throw fault('A correction is well-formed Unicode without U+0000.');
    return { id: typeof block_id === 'string' ? block_id : undefined, source, target, ...exportedOf(exported, index) };
  });
}

function exportedOf(text: unknown, index: number): Pick<EditedUnit, 'exported'> {
  if (text === undefined) return {};
  if (typeof text !== 'string') throw fault('`exported` is the text that the correction was made from.', index);
  return { exported: exportedHash(text) };
}

function fault(message: string, index?: number): AppError {
  const place = index === undefined ? {} : { index };
  return badRequest(message, { field: 'corrections', reason: 'BAD_CORRECTIONS', ...place });
}

function tooMany(field: string, message: string, limit: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', message, { details: { field, reason: 'TOO_MANY_CORRECTIONS', limit } });
}
