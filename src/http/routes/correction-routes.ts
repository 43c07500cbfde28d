import Type from 'typebox';
import { type BlockHistory, historyOf, restoreBlock } from '../../reading/correct-block.ts';
import { type CorrectionDependencies, correctTask } from '../../reading/correct-task.ts';
import type { SentCorrections } from '../../reading/correction-jobs.ts';
import type { OutputMaker } from '../../reading/output-maker.ts';
import { sourceLangOf } from '../../tasks/task.ts';
import { findTask, readOutputs } from '../../tasks/task-store.ts';
import { taskView } from '../../tasks/task-view.ts';
import { CorrectionList, CorrectionResult, OnConflict, ParagraphHistory } from '../correction-schemas.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { binaryBodies, takeWhole, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, operation, TaskId } from '../schemas.ts';
import { leavingOf, type Server } from '../server.ts';
import { TaskSchema } from '../task-schemas.ts';

export interface CorrectionRouteDependencies extends CorrectionDependencies {
  maker: OutputMaker;
}

/** An XLIFF of a novel of 3 million characters has about 12 MB. */
const maxCorrectionBytes = 32 * 1024 * 1024;
/** A whole book's corrections fit. */
const maxJsonBytes = 8 * 1024 * 1024;

/** A body that is read where it holds up nobody. */
export type SentBody = Pick<SentCorrections, 'form' | 'body'>;

export function takeCorrections(scope: Server): void {
  takeWhole(scope, correctionFileTypes, 'file', maxCorrectionBytes);
  takeWhole(scope, 'application/json', 'json', maxJsonBytes);
}

/** What an edited XLIFF or TMX file may be sent as. */
export const correctionFileTypes = [
  'application/xliff+xml',
  'application/x-xliff+xml',
  'application/x-tmx+xml',
  'application/xml',
  'text/xml',
];

/** What editors send back, and the book made again from it. */
export function registerCorrectionRoutes(server: Server, deps: CorrectionRouteDependencies): void {
  withOwnParsers(server, (scope) => {
    takeCorrections(scope);
    scope.post(
      '/tasks/:task_id/corrections',
      {
        bodyLimit: maxCorrectionBytes,
        ...unvalidated,
        ...operation('Tasks', 'correctTask', 'Send corrections of a translation', {
          description:
            'The XLIFF or TMX file of the task as an editor saved it, or a list as JSON. Paragraphs are matched by unit id, else by source text. A unit that is as it was exported changes nothing, and one that somebody else has corrected meanwhile is a conflict. A unit with damaged inline tags is refused with its reason; the others are taken.',
          params: TaskId,
          querystring: OnConflict,
          body: {
            content: {
              'application/json': { schema: CorrectionList },
              ...binaryBodies(correctionFileTypes),
            },
          },
          response: answers(
            CorrectionResult,
            'What became of every unit.',
            ...readErrors,
            ...bodyErrors,
            'STORAGE_QUOTA',
          ),
        }),
      },
      async (request, reply) => {
        const task = await findTask(deps.db, callingOwner(request), request.params.task_id);
        const languages = { sourceLang: sourceLangOf(task), targetLang: task.targetLang ?? 'en' };
        const sent = { ...(request.body as unknown as SentBody), of: 'task' as const, languages };
        const replaces = request.query.on_conflict === 'replace';
        const asking = { owner: task.accountId, signal: leavingOf(reply) };
        return success(await correctTask(deps, task, { sent, replaces }, asking));
      },
    );
  });

  const BlockId = Type.Object({ task_id: Type.String(), block_id: Type.String({ maxLength: 64 }) });
  const history = answers(ParagraphHistory, 'The paragraph as it is now.', ...readErrors);
  server.get(
    '/tasks/:task_id/corrections/:block_id',
    operation('Tasks', 'getParagraphHistory', 'See what a paragraph says, and what it said before', {
      params: BlockId,
      response: history,
    }),
    async (request) => {
      const task = await findTask(deps.db, callingOwner(request), request.params.task_id);
      return success(historyView(await historyOf(deps, task, request.params.block_id)));
    },
  );
  server.delete(
    '/tasks/:task_id/corrections/:block_id',
    operation('Tasks', 'restoreParagraph', 'Give a paragraph its machine translation back', {
      description: 'Its correction becomes an earlier one. In a series later tasks have the machine translation too.',
      params: BlockId,
      response: history,
    }),
    async (request) => {
      const task = await findTask(deps.db, callingOwner(request), request.params.task_id);
      return success(historyView(await restoreBlock(deps, task, request.params.block_id)));
    },
  );

  server.post(
    '/tasks/:task_id/corrected-book',
    operation('Tasks', 'remakeBook', 'Make the book again with its corrections', {
      description: 'Nothing is translated and nothing charged. The book is the output `corrected` of the task.',
      params: TaskId,
      response: answers(
        TaskSchema,
        'The task, with `corrected` among its files.',
        ...readErrors,
        ...bodyErrors,
        'STORAGE_QUOTA',
      ),
    }),
    async (request) => {
      const task = await findTask(deps.db, callingOwner(request), request.params.task_id);
      await deps.maker.remake(task);
      return success(taskView(task, await readOutputs(deps.db, task.id)));
    },
  );
}

const readErrors = ['NOT_FOUND', 'TASK_NOT_READY', 'TASK_NOT_DOWNLOADABLE', 'OUTPUT_EXPIRED'] as const;

export function historyView({ id, source, machine, target, earlier }: BlockHistory) {
  return {
    ...{ block_id: id, source, machine, current: target, corrected: target !== machine },
    earlier: earlier.map((each) => ({ text: each.target, saved_at: each.savedAt.toISOString() })),
  };
}
