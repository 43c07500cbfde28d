/** The worker's side of a book: answers its process from the task's engines and the task's rows. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { Db } from '../platform/postgres.ts';
import { acceptedPairs, noEngineForPair } from '../tasks/served-pairs.ts';
import type { Task } from '../tasks/task.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { answerOf, type BookHost } from './book-host.ts';
import { bookLanguages, declaredSource, isInTargetLanguage, sameLanguageFault } from './book-languages.ts';
import type { BookWrites } from './book-writes.ts';
import { FinalFault } from './final-fault.ts';
import { analysisProgress, sourceRead } from './progress-shares.ts';
import type { SentCharacters } from './sent-characters.ts';
import type { OutputStore } from './store-outputs.ts';
import { pairEngines, TaskMemory } from './task-memory.ts';
import { freezeInSeries, seriesOf } from './task-series-state.ts';

export interface ServedBook {
  deps: { db: Db; engines: EngineCatalog; sandboxEngines: EngineCatalog };
  task: Task;
  sent: SentCharacters;
  writes: BookWrites;
  outputs: OutputStore;
}

/** @param learned where it is collected what the book teaches */
export function serveBook(
  { deps, task, sent, writes, outputs }: ServedBook,
  learned: { memories: NewMemory[]; paidPlaces: BlockPlace[] } = { memories: [], paidPlaces: [] },
): BookHost {
  const { db } = deps;
  const catalog = task.sandbox ? deps.sandboxEngines : deps.engines;
  const memory = new TaskMemory(db, task);
  const withoutDrafts = !task.acceptDraft;
  const caller = { account: task.accountId, task: task.id, withoutDrafts };
  return {
    stage: async (stage) => writes.note({ stage }),
    analysed: async (share) => writes.note({ progress: analysisProgress(task.action, share) }),
    async begin(found) {
      const languages = bookLanguages(task, found);
      const { detected, sourceLang, targetLang, warnings } = languages;
      const bookTitle = storableTitle(found.title);
      writes.note({
        progress: sourceRead,
        ...(detected === undefined ? {} : { detectedLang: detected }),
        ...(bookTitle === undefined ? {} : { bookTitle }),
      });
      try {
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
      } catch (error) {
        // The end that follows shows the language that was found.
        await writes.showNoted();
        throw error;
      }
    },
    enginesFor: async (pair) => pairEngines(catalog, pair, withoutDrafts),
    translate({ request, engineIndex }, signal) {
      sent.translate(request);
      return answerOf(catalog.translate(request, { ...caller, signal, ...(engineIndex === 0 ? {} : { engineIndex }) }));
    },
    extractTerms(request, signal) {
      sent.extract(request);
      return answerOf(catalog.extractTerms(request, { ...caller, signal }));
    },
    writeSheet(request, signal) {
      sent.extract(request);
      return answerOf(catalog.writeSheet(request, { ...caller, signal }));
    },
    // Not counted as sent: the pass is the operator's choice, and no work that a partner has asked for.
    edit: (request, signal) => answerOf(catalog.edit(request, { ...caller, signal })),
    loadRecords: (after) => writes.load(after),
    saveChapters: ({ chapters, last }) => writes.saveChapters(chapters, last),
    saveRecord: (record) => writes.save(record),
    findRemembered: (question) => memory.find(question),
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
