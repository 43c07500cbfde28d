import Type from 'typebox';
import { listedUnits } from '../../correction.ts';
import { unitRefusals } from '../../interchange/match-corrections.ts';
import { type BlockHistory, historyOf, restoreBlock } from '../../reading/correct-block.ts';
import { correctSeries } from '../../reading/correct-series.ts';
import { type CorrectionDependencies, correctTask } from '../../reading/correct-task.ts';
import { maxCorrections, maxUnits, type SentCorrections } from '../../reading/correction-jobs.ts';
import type { OutputMaker } from '../../reading/output-maker.ts';
import { seriesRefusals } from '../../series/match-corrections.ts';
import { findSeries } from '../../series/series-store.ts';
import { sourceLangOf } from '../../tasks/task.ts';
import { findTask, readOutputs } from '../../tasks/task-store.ts';
import { taskView } from '../../tasks/task-view.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { binaryBodies, takeWhole, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, operation, SeriesId, TaskId } from '../schemas.ts';
import { leavingOf, type Server } from '../server.ts';
import { exact, integer, named, namedExact, optionalText, text } from '../shapes.ts';
import { TaskSchema } from '../task-schemas.ts';

export interface CorrectionRouteDependencies extends CorrectionDependencies {
  maker: OutputMaker;
}

/** An XLIFF of a novel of 3 million characters has about 12 MB. */
const maxCorrectionBytes = 32 * 1024 * 1024;
/** A whole book's corrections fit. */
const maxJsonBytes = 8 * 1024 * 1024;

/** A body that is read where it holds up nobody. */
type SentBody = Pick<SentCorrections, 'form' | 'body'>;

function takeCorrections(scope: Server): void {
  takeWhole(scope, correctionFileTypes, 'file', maxCorrectionBytes);
  takeWhole(scope, 'application/json', 'json', maxJsonBytes);
}

/** What an edited XLIFF or TMX file may be sent as. */
const correctionFileTypes = [
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

export function registerSeriesCorrectionRoutes(server: Server, deps: CorrectionDependencies): void {
  withOwnParsers(server, (scope) => {
    takeCorrections(scope);
    scope.post(
      '/series/:series_id/corrections',
      {
        ...unvalidated,
        ...operation('Series', 'correctSeries', 'Send back corrected paragraphs', {
          description:
            'As JSON, or as an edited XLIFF or TMX file. From now on every task of the series delivers them word for word and without charge. Each correction is judged for itself: one that is as it was exported changes nothing, and one of a paragraph that somebody else has corrected meanwhile is a conflict.',
          params: SeriesId,
          querystring: OnConflict,
          body: {
            content: {
              'application/json': { schema: Corrections },
              ...binaryBodies(correctionFileTypes),
            },
          },
          response: answers(CorrectionCounts, 'What became of them.', ...bodyErrors, 'STORAGE_QUOTA', 'NOT_FOUND'),
        }),
      },
      async (request, reply) => {
        const { series_id: seriesId } = request.params;
        const caller = callingOwner(request);
        const series = await findSeries(deps.db, caller, seriesId);
        const sent = { ...(request.body as unknown as SentBody), of: 'series' as const, languages: series };
        const correction = { sent, replaces: request.query.on_conflict === 'replace' };
        const asking = { owner: caller.accountId, signal: leavingOf(reply) };
        const owner = { ...caller, seriesId };
        return success(await correctSeries(deps, owner, series.sourceLang ?? 'und', correction, asking));
      },
    );
  });
}

/** The wire shapes of corrections. */

const ConflictList = Type.Array(
  named('CorrectionConflict', {
    unit: text('The unit id, or the beginning of its source.'),
    current: text('The beginning of what the paragraph says now.'),
    sent: text('The beginning of what was sent.'),
  }),
  { description: `The first ${listedUnits}.` },
);
const Conflicting = integer(
  'Paragraphs that somebody else has corrected since they were exported: what is there stays, unless `on_conflict=replace` is asked for.',
);
const OnConflict = exact({
  on_conflict: optionalText({
    enum: ['keep', 'replace'],
    default: 'keep',
    description: 'What becomes of a paragraph that somebody else has corrected since it was exported.',
  }),
});
const Exported = optionalText(
  'The translation that the correction was made from. If the paragraph says something else by now, it is a conflict.',
);

const CorrectionResult = namedExact('CorrectionResult', {
  taken: integer('Paragraphs whose translation is now the corrected one.'),
  unchanged: integer('Paragraphs that came back as they were.'),
  refused: integer('Units that were not taken; `refusals` says why.'),
  refusals: Type.Array(
    Type.Object({
      unit: text('The unit id, or the beginning of its source.'),
      reason: Type.String({ enum: [...unitRefusals] }),
    }),
    { description: `The first ${listedUnits}.` },
  ),
  conflicting: Conflicting,
  conflicts: ConflictList,
  approved: integer(
    'Paragraphs whose unit is `final` or `approved` in XLIFF and as it was translated: an editor has looked at them.',
  ),
});

const CorrectionList = namedExact('CorrectionList', {
  corrections: Type.Array(
    exact({
      block_id: optionalText({ maxLength: 64 }),
      source: text('The paragraph as it is in the source.'),
      target: text('Its corrected translation.'),
      exported: Exported,
    }),
    { maxItems: maxUnits },
  ),
});

const ParagraphHistory = named('ParagraphHistory', {
  block_id: Type.String(),
  source: Type.String(),
  machine: text('What was translated.'),
  current: text('What is delivered now.'),
  corrected: Type.Boolean(),
  earlier: Type.Array(Type.Object({ text: Type.String(), saved_at: Type.String({ format: 'date-time' }) }), {
    description: 'Earlier corrections, the latest first; the last ten are kept.',
  }),
});

const Corrections = Type.Array(
  namedExact('Correction', {
    source: Type.String({
      minLength: 1,
      description: 'The paragraph of the source, with its inline tags or without any.',
    }),
    target: text('The paragraph as it should read, with the tags of `source`.'),
    exported: Exported,
  }),
  { minItems: 1, maxItems: maxCorrections },
);

const CorrectionCounts = named('CorrectionCounts', {
  taken: Type.Integer(),
  unchanged: integer('What the series would have delivered anyway.'),
  refused: Type.Integer(),
  refusals: Type.Array(
    Type.Object({
      index: Type.Integer(),
      unit: optionalText('The id of the unit in a file.'),
      reason: Type.String({ enum: [...seriesRefusals] }),
    }),
    { description: 'The first hundred: their place in what was sent, from 0, and why.' },
  ),
  conflicting: Conflicting,
  conflicts: ConflictList,
  terms: Type.Array(Type.Object({ source: Type.String(), target: Type.String() }), {
    description:
      'Names that are corrected in every paragraph of every book of the series that has them: terms of the series from now on.',
  }),
});
