/** The worker's side of a book: answers its process from the task's engines and the task's rows. */
import type { EngineCatalog } from '../../engines/catalog.ts';
import type { EventQueue } from '../../events/record-event.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Db } from '../../platform/postgres.ts';
import type { NewMemory } from '../../translation/memory/remember.ts';
import { saveChapters } from '../chapter-store.ts';
import { noEngineForPair } from '../served-pairs.ts';
import type { Task } from '../task.ts';
import { tellReady } from '../task-events.ts';
import type { Attempt } from './attempt.ts';
import { requireAttempt, saveProgress } from './attempt-store.ts';
import { answerOf, type BookHost } from './book-host.ts';
import { bookLanguages, refuseSameLanguage } from './book-languages.ts';
import { taskCheckpoint } from './checkpoint-store.ts';
import { FinalFault } from './final-fault.ts';
import { analysisProgress, sourceRead } from './progress-shares.ts';
import type { SentCharacters } from './sent-characters.ts';
import { freezeInSeries, rememberedFor, seriesOf } from './task-memory.ts';

export interface ServedBook {
  deps: { db: Db; queue: EventQueue; engines: EngineCatalog; sandboxEngines: EngineCatalog; metrics: Metrics };
  task: Task;
  attempt: Attempt;
  sent: SentCharacters;
}

/** @param memories where what is to be remembered is collected */
export function serveBook({ deps, task, attempt, sent }: ServedBook, memories: NewMemory[] = []): BookHost {
  const { db, queue, metrics } = deps;
  const catalog = task.sandbox ? deps.sandboxEngines : deps.engines;
  const withoutDrafts = !task.acceptDraft;
  const caller = { account: task.accountId, task: task.id, withoutDrafts };
  const checkpoint = taskCheckpoint(db, task, attempt, sent, (trx, key) => tellReady(trx, queue, task, key));
  return {
    // Only shown: a poll that sees the stage a little late is no reason to stop a book.
    stage: (stage) => saveProgress(db, attempt, { stage }).catch(() => {}),
    analysed: (share) => saveProgress(db, attempt, { progress: analysisProgress(task.action, share) }).catch(() => {}),
    async languages(found) {
      const languages = bookLanguages(task, found);
      const { detected } = languages;
      await saveProgress(db, attempt, {
        progress: sourceRead,
        ...(detected === undefined ? {} : { detectedLang: detected }),
      });
      refuseSameLanguage(task, found, languages);
      // Where the language was to be detected, only now it is known whether anybody serves it.
      const { sourceLang, targetLang, warnings } = languages;
      if (catalog.enginesFor({ sourceLang, targetLang, withoutDrafts }).length === 0) {
        const message = `${noEngineForPair(sourceLang, targetLang).message} Nothing was charged.`;
        throw new FinalFault({ code: 'NO_ENGINE_FOR_PAIR', message, retryable: false }, { warnings });
      }
      return languages;
    },
    async enginesFor(pair) {
      const able = catalog.enginesFor({ ...pair, withoutDrafts });
      return {
        capabilities: able.map((engine) => engine.capabilities),
        policy: able.map((engine) => `${engine.name}@${engine.revision}`).join(','),
      };
    },
    translate({ request, engineIndex }, signal) {
      sent.translate(request);
      return answerOf(catalog.translate(request, { ...caller, signal, ...(engineIndex === 0 ? {} : { engineIndex }) }));
    },
    extractTerms(request, signal) {
      sent.extract(request);
      return answerOf(catalog.extractTerms(request, { ...caller, signal }));
    },
    loadRecords: (after) => checkpoint.load(after),
    async saveChapters({ chapters, last }) {
      await db.transaction().execute(async (trx) => {
        await requireAttempt(trx, attempt);
        await saveChapters(trx, task.id, chapters);
        // What an earlier run has finished, and chapters without anything to translate.
        if (last) await tellReady(trx, queue, task, undefined);
      });
    },
    async saveRecord(record) {
      await checkpoint.save(record);
      if (record.kind === 'segment') metrics.segmentsTranslated.inc();
    },
    findRemembered: rememberedFor(db, task),
    series: () => seriesOf(db, task),
    freezeTerms: (frozen) => freezeInSeries(db, task, checkpoint, frozen),
    async remember(part) {
      memories.push(...part);
    },
  };
}
