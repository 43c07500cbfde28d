/** The worker's side of a book: answers its process from the task's engines and the task's rows. */
import type { EngineCatalog } from '../../engines/catalog.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Task } from '../task.ts';
import { type Attempt, saveProgress } from './attempt-store.ts';
import { answerOf, type BookHost } from './book-host.ts';
import { bookLanguages, refuseSameLanguage } from './book-languages.ts';
import { reusableSegments, taskCheckpoint } from './checkpoint-store.ts';

export interface ServedBook {
  deps: { db: Db; engines: EngineCatalog; sandboxEngines: EngineCatalog; metrics: Metrics };
  task: Task;
  attempt: Attempt;
}

export function serveBook({ deps, task, attempt }: ServedBook): BookHost {
  const { db, metrics } = deps;
  const catalog = task.sandbox ? deps.sandboxEngines : deps.engines;
  const caller = { account: task.accountId, task: task.id };
  const earlier = reusableSegments(db, task);
  const checkpoint = taskCheckpoint(db, task, attempt, earlier.paidBefore);
  return {
    // Only shown: a poll that sees the stage a little late is no reason to stop a book.
    stage: (stage) => saveProgress(db, attempt, { stage }).catch(() => {}),
    async languages(found) {
      const languages = bookLanguages(task, found);
      if (languages.detected !== undefined) await saveProgress(db, attempt, { detectedLang: languages.detected });
      refuseSameLanguage(task, found, languages);
      return languages;
    },
    async enginesFor(pair) {
      const able = catalog.enginesFor(pair);
      return {
        capabilities: able.map((engine) => engine.capabilities),
        policy: able.map((engine) => `${engine.name}@${engine.revision}`).join(','),
      };
    },
    translate: ({ request, engineIndex }, signal) =>
      answerOf(catalog.translate(request, { ...caller, signal, ...(engineIndex === 0 ? {} : { engineIndex }) })),
    extractTerms: (request, signal) => answerOf(catalog.extractTerms(request, { ...caller, signal })),
    loadRecords: (after) => checkpoint.load(after),
    async saveRecord(record) {
      await checkpoint.save(record);
      if (record.kind === 'segment') metrics.segmentsTranslated.inc();
    },
    findReusable: (keys) => earlier.find(keys),
  };
}
