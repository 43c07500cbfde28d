/** The first phase: reads the whole range, settles names and terms, and freezes them. */
import { createHash } from 'node:crypto';
import { countCharacters } from '../documents/document.ts';
import type { ExtractRequest, ExtractResult, TermHint } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { canJudgeByPassages, planPassages } from '../glossary/candidate-passages.ts';
import { coveringWindows, isReadByWindows } from '../glossary/covering-windows.ts';
import { type FoundTerm, reduceTerms } from '../glossary/extract.ts';
import {
  type Brief,
  composeBrief,
  type ExtractionChunk,
  planExtraction,
  standingFor,
} from '../glossary/extraction-plan.ts';
import { combineTerms, type GlossaryStrategy } from '../glossary/glossary.ts';
import { countTerms, findTerms, indexTerms } from '../glossary/match.ts';
import type { MinedNames } from '../glossary/mine/candidate.ts';
import { mineNames } from '../glossary/mine/mine.ts';
import { settleCase } from '../glossary/settle-case.ts';
import { type Term, termKey } from '../term.ts';
import type { Checkpoint, CheckpointRecord } from './checkpoint.ts';
import type { FrozenRecord } from './memory/book-memory.ts';
import { runPool } from './pool.ts';
import type { ReportWarning } from './report.ts';
import { fittingTerms } from './term-hints.ts';

export type ExtractTerms = (request: ExtractRequest, options: { signal: AbortSignal }) => Promise<ExtractResult>;

export interface AnalyseInput {
  /** Paragraphs by section, without inline tags: what is read for names and terms. */
  sections: readonly (readonly string[])[];
  /** The whole book, where only a part of it is new. */
  allTexts?: readonly string[];
  sourceLang: string;
  targetLang: string;
  supplied: readonly Term[];
  strategy: GlossaryStrategy;
  /** Found in earlier volumes of the series: they stand before what is found now. */
  foundBefore?: readonly Term[];
  /** The story up to this book. */
  story?: string;
  /** `whole`: engines read every word for names. `passages`: they judge what statistics found, where that is possible. */
  reading: 'whole' | 'passages';
  /** Absent when no engine can find terms: then only supplied terms are used. */
  extractTerms: ExtractTerms | undefined;
  concurrency: number;
  saved: readonly CheckpointRecord[];
  save: Checkpoint['save'];
  /** Saves the frozen terms; answers with the terms of earlier volumes when there are others by now, and saves nothing then. */
  freeze?: (record: FrozenRecord) => Promise<readonly Term[] | undefined>;
  onProgress?: (done: number, total: number) => void;
}

export interface Analysis {
  terms: Term[];
  brief: Brief;
  /** Stretches of text that engines were asked to read; 0 when nobody was asked. */
  chunks: number;
  /** Chunks no engine could read; their names may be missing. */
  incompleteChunks: number;
  /** Characters of the chunks that were read. */
  readCharacters: number;
}

type ChunkAnswer = { terms: readonly FoundTerm[]; digest: string; characters: number };

/** @throws EngineError when engines could not be reached for most of what was asked */
export async function analyseBook(input: AnalyseInput): Promise<Analysis> {
  const frozen = input.saved.find((record) => record.kind === 'frozen');
  // Fields that an earlier version did not save count as nothing read.
  if (frozen !== undefined)
    return { ...frozen, chunks: frozen.chunks ?? 0, readCharacters: frozen.readCharacters ?? 0 };
  const { supplied } = input;
  const texts = input.sections.flat();
  const empty: Brief = { synopsis: '', digests: input.sections.map(() => '') };
  const found =
    input.strategy === 'replace' || input.extractTerms === undefined
      ? { terms: [], brief: empty, chunks: 0, incompleteChunks: 0, readCharacters: 0 }
      : await extractAll(input, input.extractTerms, texts, supplied);
  const freeze = input.freeze ?? (async (record) => void (await input.save(record)));
  for (let before = input.foundBefore ?? []; ; ) {
    const analysis: Analysis = { ...found, terms: settleTerms(input, supplied, before, found.terms, texts) };
    const others = await freeze({ kind: 'frozen', key: 'frozen', ...analysis });
    if (others === undefined) return analysis;
    before = others;
  }
}

/** Supplied terms first, then those of earlier volumes, then those found now; of the first two only what the book has. */
function settleTerms(
  { allTexts, sourceLang }: AnalyseInput,
  supplied: readonly Term[],
  before: readonly Term[],
  found: readonly Term[],
  texts: readonly string[],
): Term[] {
  const extracted = before.length === 0 ? found : combineTerms(before, found);
  const settled = settleCase(combineTerms(supplied, extracted), allTexts ?? texts, sourceLang);
  // Of the final list, so that supplied terms and aliases are counted too.
  const counts = countTerms(settled, allTexts ?? texts, sourceLang);
  const earlier = new Set(before.map(({ source }) => source));
  return settled
    .map((term) => ({ ...term, occurrences: counts.get(term.source)?.all ?? 0 }))
    .filter(({ source, occurrences }) => occurrences > 0 || !earlier.has(source));
}

async function extractAll(
  input: AnalyseInput,
  extractTerms: ExtractTerms,
  texts: readonly string[],
  supplied: readonly Term[],
): Promise<Analysis> {
  // What a series has decided is not asked about again, and what is asked now agrees with it.
  const decided = combineTerms(supplied, input.foundBefore ?? []);
  const names = withoutDecided(mineNames(texts, input.sourceLang), decided);
  const characters = texts.reduce((sum, text) => sum + countCharacters(text), 0);
  const options = { language: input.sourceLang, concurrency: input.concurrency, characters };
  const chunks = chunksToRead(input, names, options);
  const known = indexTerms(decided, input.sourceLang);
  const answers = new Array<ChunkAnswer | undefined>(chunks.length);
  const saved = new Map(input.saved.flatMap((record) => (record.kind === 'extraction' ? [[record.key, record]] : [])));
  const unreached: EngineError[] = [];
  let done = 0;
  const read = async (chunk: ExtractionChunk, signal: AbortSignal): Promise<void> => {
    const key = `${chunk.index}-${createHash('sha256').update(chunk.text).digest('hex').slice(0, 32)}`;
    const savedTerms = saved.get(key);
    const reader = { input, extractTerms, known: knownIn(chunk.text, known), signal, unreached };
    const answer = savedTerms ?? (await readChunk(chunk, reader));
    if (answer !== undefined && savedTerms === undefined) {
      await input.save({ kind: 'extraction', key, ...answer, terms: [...answer.terms] });
    }
    answers[chunk.index] = answer;
    done++;
    input.onProgress?.(done, chunks.length);
  };
  await runPool(chunks.slice(0, trialCalls), input, read);
  if (answers.some((answer) => answer !== undefined)) await runPool(chunks.slice(trialCalls), input, read);
  // Freezing half a glossary would spoil the whole book; the run is better tried again later. What was never asked is no answer.
  if (unreached[0] !== undefined && unreached.length * 2 > done) throw unreached[0];
  const findings = chunks.map((chunk) => ({
    text: chunk.text,
    terms: (answers[chunk.index]?.terms ?? []).map(withWhatStatisticsSay(names)),
  }));
  const digests = chunks.map((chunk) => answers[chunk.index]?.digest ?? '');
  return {
    terms: reduceTerms(findings, texts, input.sourceLang),
    brief: composeBrief(chunks, digests, input.sections.length),
    chunks: chunks.length,
    incompleteChunks: chunks.filter((chunk) => answers[chunk.index] === undefined).length,
    readCharacters: answers.reduce((sum, answer) => sum + (answer?.characters ?? 0), 0),
  };
}

/** Names are worth a few calls to an engine that cannot tell them, and no more. The rest waits until these are answered. */
const trialCalls = 4;

function withoutDecided({ candidates, rare }: MinedNames, decided: readonly Term[]): MinedNames {
  const sources = new Set(decided.map(({ source }) => termKey(source)));
  const isOpen = ({ source }: { source: string }): boolean => !sources.has(termKey(source));
  return { candidates: candidates.filter(isOpen), rare: rare.filter(isOpen) };
}

/** Every word, what shows all that is repeated, or passages for the names that statistics have found. */
function chunksToRead(
  { reading, sections }: AnalyseInput,
  names: MinedNames,
  options: { language: string; concurrency: number; characters: number },
): ExtractionChunk[] {
  const { language, characters } = options;
  if (reading === 'passages' && isReadByWindows(language, characters)) {
    const sources = names.candidates.map(({ source }) => source);
    return standingFor(
      planExtraction(coveringWindows(sections, language, sources), names.candidates, options),
      characters,
    );
  }
  return reading === 'passages' && canJudgeByPassages(characters, names.candidates)
    ? planPassages(sections, names, options)
    : planExtraction(sections, names.candidates, options);
}

/** An engine that does not say what a name is leaves it to the titles and verbs of speech beside it in the book. */
function withWhatStatisticsSay({ candidates }: MinedNames): (term: FoundTerm) => FoundTerm {
  const told = new Map(candidates.filter(({ type }) => type !== 'unknown').map((one) => [one.source, one]));
  return (term) => {
    const mined = term.type === 'unknown' ? told.get(term.source) : undefined;
    if (mined === undefined) return term;
    return { ...term, type: mined.type, gender: term.gender === 'unknown' ? mined.gender : term.gender };
  };
}

/** A fifth of the longest chunk. */
const maxKnownCharacters = 8_000;

function knownIn(text: string, index: ReturnType<typeof indexTerms<Term>>): TermHint[] {
  const terms = new Set(findTerms(text, index).map(({ term }) => term));
  const hints = [...terms].map(({ source, target, type, gender }) => ({ source, target, type, gender }));
  const fitting = fittingTerms(hints, Math.min(text.length, maxKnownCharacters));
  return hints.filter(({ source }) => fitting.has(source));
}

interface ChunkReader {
  input: AnalyseInput;
  extractTerms: ExtractTerms;
  known: TermHint[];
  signal: AbortSignal;
  /** What could not be asked. */
  unreached: EngineError[];
}

/**
 * How often a chunk is cut in two. An answer that was cut is shorter then, and a window of 2,000 tokens takes the eighth part of the
 * longest chunk.
 */
const halvings = { truncated: 1, tooLong: 3, refused: 2 };

/** A chunk that cannot be read costs some names, not the book: only the end of the run is worth an error. */
async function readChunk(chunk: ExtractionChunk, reader: ChunkReader, depth = 0): Promise<ChunkAnswer | undefined> {
  const { input, extractTerms, known, signal } = reader;
  const { sourceLang, targetLang } = input;
  const { text, candidates, doubtful = [] } = chunk;
  const story = input.story ? { story: input.story } : {};
  const passages = chunk.passages === true ? { passages: true } : {};
  const rare = doubtful.length > 0 ? { doubtful } : {};
  try {
    const request = { sourceLang, targetLang, text, candidates, known, ...rare, ...passages, ...story };
    const result = await extractTerms(request, { signal });
    const most = result.finish === 'complete' ? 0 : halvings[result.finish];
    const halves = depth < most ? await readHalves(chunk, reader, depth + 1) : undefined;
    if (halves !== undefined) return { ...halves, terms: [...result.terms, ...halves.terms] };
    if (result.finish === 'refused') return undefined;
    return { terms: result.terms, digest: result.digest, characters: charactersOf(chunk) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError) || error.kind === 'unusable') throw error;
    const most = error.kind === 'too-long' ? halvings.tooLong : error.kind === 'refused' ? halvings.refused : 0;
    if (depth < most) return await readHalves(chunk, reader, depth + 1);
    if (!error.isAboutText) reader.unreached.push(error);
    return undefined;
  }
}

/** Undefined when neither half could be read, or there are none. */
async function readHalves(
  chunk: ExtractionChunk,
  reader: ChunkReader,
  depth: number,
): Promise<ChunkAnswer | undefined> {
  const middle = chunk.text.indexOf('\n', chunk.text.length >> 1);
  if (middle <= 0) return undefined;
  const answers: ChunkAnswer[] = [];
  for (const text of [chunk.text.slice(0, middle), chunk.text.slice(middle + 1)]) {
    const isIn = (candidate: string): boolean => text.includes(candidate);
    const candidates = chunk.candidates.filter(isIn);
    const doubtful = (chunk.doubtful ?? []).filter(isIn);
    const characters = Math.round((charactersOf(chunk) * text.length) / chunk.text.length);
    const answer = await readChunk({ ...chunk, text, candidates, doubtful, characters }, reader, depth);
    if (answer !== undefined) answers.push(answer);
  }
  const [first] = answers;
  if (first === undefined) return undefined;
  const characters = answers.reduce((sum, answer) => sum + answer.characters, 0);
  return { terms: answers.flatMap(({ terms }) => terms), digest: first.digest, characters };
}

function charactersOf({ characters, text }: ExtractionChunk): number {
  return characters ?? countCharacters(text);
}

export function extractionWarnings({ incompleteChunks }: Pick<Analysis, 'incompleteChunks'>): ReportWarning[] {
  if (incompleteChunks === 0) return [];
  const message = 'Names and terms could not be collected from every part of the book.';
  return [{ code: 'EXTRACTION_INCOMPLETE', message, count: incompleteChunks, block_ids: [] }];
}
