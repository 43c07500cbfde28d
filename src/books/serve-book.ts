/** The worker's side of a book: answers its process from the task's engines and the task's rows. */
import type { CallOptions, EngineCatalog } from '../engines/catalog.ts';
import type { Db } from '../platform/postgres.ts';
import { joinTerms, lockTermsVersion, readSeriesState } from '../series/term-store.ts';
import type { Attempt } from '../tasks/attempt.ts';
import { acceptedPairs, noEngineForPair } from '../tasks/served-pairs.ts';
import type { Task } from '../tasks/task.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import type { SeriesState } from '../translation/memory/series-terms.ts';
import { FinalFault } from './action-outcome.ts';
import { type ShownProgress, saveProgress } from './attempt-store.ts';
import {
  answerOf,
  type BookHost,
  type EngineCall,
  type EngineRequest,
  type EngineResult,
  type FrozenTerms,
} from './book-host.ts';
import { bookLanguages, declaredSource, isInTargetLanguage, sameLanguageFault } from './book-languages.ts';
import { analysisProgress, type BookWrites, sourceRead } from './book-writes.ts';
import type { OutputStore } from './store-outputs.ts';
import { pairEngines, taskMemory } from './task-memory.ts';

export interface ServedBook {
  deps: { db: Db; engines: EngineCatalog; sandboxEngines: EngineCatalog };
  task: Task;
  attempt: Attempt;
  writes: BookWrites;
  outputs: OutputStore;
}

type AskedEngines = {
  [K in EngineCall]: (request: EngineRequest<K>, call: CallOptions) => Promise<EngineResult<K>>;
};

/** @param learned where it is collected what the book teaches */
export function serveBook(
  { deps, task, attempt, writes, outputs }: ServedBook,
  learned: { memories: NewMemory[]; paidPlaces: BlockPlace[] } = { memories: [], paidPlaces: [] },
): BookHost {
  const { db } = deps;
  const catalog = task.sandbox ? deps.sandboxEngines : deps.engines;
  // A book's process has read a stranger's bytes: it reaches these calls and nothing else of the catalog.
  const engines: AskedEngines = {
    translate: (request, call) => catalog.translate(request, call),
    extractTerms: (request, call) => catalog.extractTerms(request, call),
    writeSheet: (request, call) => catalog.writeSheet(request, call),
    edit: (request, call) => catalog.edit(request, call),
  };
  // A poll that sees the stage a little late is no reason to stop a book.
  const show = (progress: ShownProgress) => saveProgress(db, attempt, progress).catch(() => {});
  const withoutDrafts = !task.acceptDraft;
  const caller = { account: task.accountId, task: task.id, withoutDrafts };
  return {
    stage: (stage) => show({ stage }),
    analysed: (share) => show({ progress: analysisProgress(task.action, share) }),
    async begin(found) {
      const languages = bookLanguages(task, found);
      const { detected: detectedLang, sourceLang, targetLang, warnings } = languages;
      // First: a fault that ends the task shows the language that was found.
      await saveProgress(db, attempt, { progress: sourceRead, detectedLang, bookTitle: storableTitle(found.title) });
      const engines = pairEngines(catalog, { sourceLang, targetLang }, withoutDrafts);
      const isServed = engines.capabilities.length > 0;
      if (isInTargetLanguage(task, found, languages, isServed)) throw sameLanguageFault(languages);
      // Refused when it was ordered, unless the engines have changed since.
      if (!isServed) {
        const pairs = acceptedPairs(catalog, task.acceptDraft);
        const pair = { sourceLang, targetLang, isDetected: declaredSource(task) === undefined };
        const message = `${noEngineForPair(pair, pairs).message} Nothing was charged.`;
        throw new FinalFault({ code: 'NO_ENGINE_FOR_PAIR', message, retryable: false }, { warnings });
      }
      const paysAgain = task.seriesId === undefined && task.charLimit !== undefined;
      return { languages, engines, series: await seriesOf(db, task), paysAgain };
    },
    enginesFor: async (pair) => pairEngines(catalog, pair, withoutDrafts),
    async ask({ kind, request, engineIndex = 0 }, signal) {
      if (!Object.hasOwn(engines, kind)) throw new Error(`a book cannot ask engines to "${kind}"`);
      // Editing is the operator's choice, and no work that a partner has asked for.
      if (kind !== 'edit') writes.countSent(request);
      return await answerOf(engines[kind](request, { ...caller, signal, engineIndex: engineIndex || undefined }));
    },
    loadRecords: (after) => writes.load(after),
    saveChapters: ({ chapters, last }) => writes.saveChapters(chapters, last),
    saveRecord: (record) => writes.save(record),
    findRemembered: taskMemory(db, task),
    series: () => seriesOf(db, task),
    freezeTerms: (frozen) => freezeInSeries(db, task, writes, frozen),
    remember: async (part) => void learned.memories.push(...part),
    payFor: async (places) => void learned.paidPlaces.push(...places),
    store: async (file) => outputs.add(file),
  };
}

/** On one line, and no longer than the database keeps. */
function storableTitle(title: string | undefined): string | undefined {
  const line = title?.replaceAll('\0', '').replace(/\s+/g, ' ').trim() ?? '';
  return line === '' ? undefined : [...line].slice(0, 300).join('');
}

/** A series that was deleted under its task has no terms any more. */
async function seriesOf(db: Db, { accountId, seriesId }: Task): Promise<SeriesState | undefined> {
  if (seriesId === undefined) return undefined;
  const gone: SeriesState = { version: 0, supplied: [], extracted: [], story: '', style: undefined };
  return (await readSeriesState(db, accountId, seriesId)) ?? gone;
}

/**
 * Terms join the series in the transaction that freezes them for the task.
 * @returns the series as it is now when its terms changed since `version`; nothing was saved then
 * @throws Fenced
 */
async function freezeInSeries(
  db: Db,
  task: Task,
  writes: Pick<BookWrites, 'saveWithin'>,
  { version, terms, record }: FrozenTerms,
): Promise<SeriesState | undefined> {
  const { accountId, seriesId } = task;
  return await db.transaction().execute(async (trx) => {
    const current = seriesId === undefined ? undefined : await lockTermsVersion(trx, accountId, seriesId);
    if (seriesId !== undefined && current !== undefined) {
      if (current !== version) return await readSeriesState(trx, accountId, seriesId);
      await joinTerms(trx, seriesId, terms, task.id);
    }
    await writes.saveWithin(trx, record);
    return undefined;
  });
}
