/** What is known before anything is translated: the terms, and what to ask for remembered blocks with. */
import { blocksOf } from '../documents/document.ts';
import type { BookBrief, TermHint } from '../engines/engine.ts';
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import type { Term } from '../term.ts';
import { type AnalyseInput, type Analysis, analyseBook } from './analyse-book.ts';
import type { BookInput } from './book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import type { Checkpoint, CheckpointRecord } from './checkpoint.ts';
import { type BlockKey, blockKeysOf, type DecidingTerms } from './memory/block-keys.ts';
import { type SeriesAccess, seriesStateOf } from './memory/book-memory.ts';
import type { Grade } from './memory/choose.ts';
import { type Recalled, recallBlocks } from './memory/recall.ts';
import { type FoundForm, type SeriesState, suppliedTerms, suppliedTermsIn } from './memory/series-terms.ts';
import { type Sheet, sheetLines } from './sheet.ts';
import { type FrozenTerms, freezeTerms, hintParts, maxNoteCharacters, termsOf } from './term-hints.ts';
import { sheetOf } from './write-sheet.ts';

export interface PreparedBook {
  analysis: Analysis;
  frozen: FrozenTerms;
  keys: BlockKey[];
  recalled: Recalled;
  brief: BookBrief;
  sheet: Sheet | undefined;
}

/**
 * In a series the remembered blocks come first, because found terms are not part of their keys. Then only what is new is
 * read for names. Outside of a series they are part of them, so the whole book is read before anything is looked up.
 */
export async function prepareBook(input: BookInput, saved: readonly CheckpointRecord[]): Promise<PreparedBook> {
  const series = input.memory?.series;
  if (series === undefined) {
    const analysis = await analyse(input, saved, {
      supplied: suppliedTerms(input.glossary, input.strategy, undefined),
    });
    const frozen = freezeTerms(analysis.terms, input.sourceLang);
    const keys = accountKeys(input, frozen);
    const told = await briefOf(input, saved, analysis, { texts: plainTexts(input.document) });
    return { analysis, frozen, keys, recalled: await recall(input, saved, keys), ...told };
  }
  const state = await seriesStateOf(series, saved, (record) => input.checkpoint.save(record));
  const supplied = suppliedTerms(input.glossary, input.strategy, state);
  const style = input.style ?? state.style;
  const keys = seriesKeys({ ...input, style }, supplied, state.found);
  const recalled = await recall(input, saved, keys);
  const analysis = await analyse(input, saved, { supplied, recalled, ...seriesTermsOf(input.strategy, series, state) });
  const fresh = blocksOf(input.document).filter(({ id }) => !recalled.has(id));
  const texts = fresh.map((block) => stripInlineTags(block.text));
  const told = await briefOf({ ...input, style }, saved, analysis, { texts, series: state });
  return { analysis, frozen: freezeTerms(analysis.terms, input.sourceLang), keys, recalled, ...told };
}

async function briefOf(
  input: BookInput,
  saved: readonly CheckpointRecord[],
  analysis: Analysis,
  { texts, series }: { texts: readonly string[]; series?: SeriesState },
): Promise<Pick<PreparedBook, 'brief' | 'sheet'>> {
  const { sourceLang, targetLang, style, background, engines } = input;
  const sheet = await withSpan('write sheet', {}, () =>
    sheetOf({
      ...{ sourceLang, targetLang, style, background, texts, saved },
      core: coreOf(analysis.terms),
      known: series?.sheet,
      isInSeries: series !== undefined,
      writeSheet: engines.writeSheet,
      save: (record) => input.checkpoint.save(record),
    }),
  );
  return { brief: bookBrief(analysis, input, sheet), sheet };
}

export function seriesKeys(
  { document, ...order }: Pick<BookInput, 'document' | 'sourceLang' | 'targetLang' | 'style' | 'background'>,
  supplied: readonly Term[],
  found: readonly FoundForm[] = [],
): BlockKey[] {
  const termsIn = suppliedTermsIn(supplied, found, plainTexts(document), order.sourceLang);
  return blockKeysOf(document, { ...order, termsIn, enginePolicy: '' });
}

/** Outside of a series a translation is the same only with the same engines and the same terms, found ones too. */
function accountKeys(input: BookInput, frozen: FrozenTerms): BlockKey[] {
  const { document, sourceLang, targetLang, style, background, engines } = input;
  const termsIn = (text: string): DecidingTerms => ({
    terms: termsOf(text, frozen).hints.map(hintParts),
  });
  const order = { sourceLang, targetLang, style, background };
  return blockKeysOf(document, { ...order, termsIn, enginePolicy: engines.policy });
}

function recall(
  { document, targetLang, memory, checkpoint }: BookInput,
  saved: readonly CheckpointRecord[],
  keys: readonly BlockKey[],
): Promise<Recalled> {
  const { find, accepted = new Set<Grade>() } = memory ?? {};
  const save: Checkpoint['save'] = (record) => checkpoint.save(record);
  return withSpan('recall blocks', { blocks: keys.length }, () =>
    recallBlocks({ document, keys, find, targetLang, accepted, saved, save }),
  );
}

/** With `replace` only the task's own glossary counts, so the series' terms are neither used nor added to. */
export function seriesTermsOf(
  strategy: GlossaryStrategy,
  series: SeriesAccess,
  state: SeriesState,
): Pick<AnalyseInput, 'foundBefore' | 'story' | 'freeze'> {
  if (strategy === 'replace') return {};
  let { version } = state;
  return {
    foundBefore: state.extracted,
    story: state.story,
    async freeze(record) {
      const newer = await series.freeze(version, record);
      if (newer === undefined) return undefined;
      version = newer.version;
      return newer.extracted;
    },
  };
}

function analyse(
  input: BookInput,
  saved: readonly CheckpointRecord[],
  { recalled, ...terms }: Pick<AnalyseInput, 'supplied' | 'foundBefore' | 'story' | 'freeze'> & { recalled?: Recalled },
): Promise<Analysis> {
  const { document, sourceLang, targetLang, strategy, engines, concurrency } = input;
  const sections = document.sections.map(({ blocks }) =>
    blocks.filter(({ id }) => recalled?.has(id) !== true).map((block) => stripInlineTags(block.text)),
  );
  return withSpan('analyse book', { characters: document.textCharacters }, () =>
    analyseBook({
      sections,
      allTexts: plainTexts(document),
      sourceLang,
      targetLang,
      strategy,
      reading: 'passages',
      extractTerms: engines.extractTerms,
      concurrency,
      saved,
      save: (record) => input.checkpoint.save(record),
      ...(input.onAnalysis === undefined ? {} : { onProgress: input.onAnalysis }),
      ...terms,
    }).catch(BookTranslationError.rethrowUnavailable),
  );
}

function plainTexts(document: BookInput['document']): string[] {
  return blocksOf(document).map((block) => stripInlineTags(block.text));
}

/** Who and what a novel is about; the others come with the passages that name them. */
const maxCoreTerms = 40;
const maxCoreCharacters = 2_000;
/** What occurs seldom is told where it occurs. */
const leastOccurrences = 5;

/** What every call of a book is told of it. Made once, so that it is the same to the letter in all of them. */
function bookBrief(
  { terms, brief }: Pick<Analysis, 'terms' | 'brief'>,
  { style, background }: Pick<BookInput, 'style' | 'background'>,
  sheet: Sheet | undefined,
): BookBrief {
  const { synopsis } = brief;
  return {
    ...(style === undefined ? {} : { style }),
    ...(background === undefined ? {} : { background }),
    ...(sheet === undefined ? {} : { sheet: sheetLines(sheet) }),
    ...(synopsis === '' ? {} : { synopsis }),
    core: coreOf(terms),
  };
}

function coreOf(terms: Analysis['terms']): TermHint[] {
  let left = maxCoreCharacters;
  return terms
    .filter(({ occurrences }) => occurrences >= leastOccurrences)
    .toSorted((a, b) => b.occurrences - a.occurrences || (a.source < b.source ? -1 : 1))
    .slice(0, maxCoreTerms)
    .map(({ source, target, type, gender, note }) => ({
      source,
      target,
      type,
      gender,
      ...(note === undefined ? {} : { note: note.slice(0, maxNoteCharacters) }),
    }))
    .filter(({ source, target, note = '' }) => {
      left -= source.length + target.length + note.length;
      return left >= 0;
    });
}
