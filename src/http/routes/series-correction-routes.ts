import { correctSeries } from '../../reading/correct-series.ts';
import type { CorrectionDependencies } from '../../reading/correct-task.ts';
import { findSeries } from '../../series/series-store.ts';
import { OnConflict } from '../correction-schemas.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { binaryBodies, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, operation, SeriesId } from '../schemas.ts';
import { CorrectionCounts, Corrections } from '../series-schemas.ts';
import { leavingOf, type Server } from '../server.ts';
import { correctionFileTypes, type SentBody, takeCorrections } from './correction-routes.ts';

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
