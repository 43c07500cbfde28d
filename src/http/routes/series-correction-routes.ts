import Type from 'typebox';
import { listedUnits } from '../../correction.ts';
import type { EditedUnit } from '../../interchange/edited-unit.ts';
import type { CorrectionDependencies } from '../../reading/correct-task.ts';
import { learnNames } from '../../reading/learn-corrections.ts';
import { correctSeries } from '../../series/corrections.ts';
import { findSeries } from '../../series/series-store.ts';
import { OnConflict } from '../correction-schemas.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { leavingOf } from '../leaving.ts';
import { envelope, errorResponses, guardErrors } from '../schemas.ts';
import { CorrectionCounts, Corrections } from '../series-schemas.ts';
import type { Server } from '../server.ts';
import { correctionFileTypes, type SentBody, takeCorrections } from './correction-routes.ts';

export type SeriesCorrectionRouteDependencies = CorrectionDependencies;

export function registerSeriesCorrectionRoutes(server: Server, deps: SeriesCorrectionRouteDependencies): void {
  const { db, corrections } = deps;
  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    scope.removeAllContentTypeParsers();
    takeCorrections(scope);
    scope.post(
      '/series/:series_id/corrections',
      {
        // Judged by its reader.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'correctSeries',
          tags: ['Series'],
          summary: 'Send back corrected paragraphs',
          description:
            'As JSON, or as an edited XLIFF or TMX file. From now on every task of the series delivers them word for word and without charge. Each correction is judged for itself: one that is as it was exported changes nothing, and one of a paragraph that somebody else has corrected meanwhile is a conflict.',
          params: Type.Object({ series_id: Type.String() }),
          querystring: OnConflict,
          body: {
            content: {
              'application/json': { schema: Corrections },
              ...Object.fromEntries(
                correctionFileTypes.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]),
              ),
            },
          },
          response: {
            200: { ...envelope(CorrectionCounts), description: 'What became of them.' },
            ...errorResponses(
              ...guardErrors,
              'UNSUPPORTED_MEDIA_TYPE',
              'PAYLOAD_TOO_LARGE',
              'STORAGE_QUOTA',
              'NOT_FOUND',
            ),
          },
        },
      },
      async (request, reply) => {
        const { series_id: seriesId } = request.params;
        const caller = callingOwner(request);
        const series = await findSeries(db, caller, seriesId);
        const sent = { ...(request.body as unknown as SentBody), of: 'series' as const, languages: series };
        const asking = { owner: caller.accountId, signal: leavingOf(reply) };
        const replaces = request.query.on_conflict === 'replace';
        const claim = (bytes: number) => deps.quota.claim(caller.accountId, bytes);
        const options = { isFile: sent.form === 'file', replaces, signal: asking.signal, claim };
        return await corrections.inTurn(asking, async () => {
          const units = await corrections.read(sent, asking);
          const result = await correctSeries(db, caller, seriesId, units, options);
          const { taken, unchanged, refused, conflicting, conflicts, edited } = result;
          const language = series.sourceLang ?? 'und';
          const terms = await learnNames(deps, { ...caller, seriesId }, edited, language, asking);
          refused.sort((a, b) => a.index - b.index);
          return success({
            ...{ taken, unchanged, conflicting, conflicts, terms },
            refused: refused.length,
            refusals: refused.slice(0, listedUnits).map((refusal) => ({ ...refusal, ...unitId(units, refusal.index) })),
          });
        });
      },
    );
  });
}

function unitId(units: readonly EditedUnit[], index: number): { unit?: string } {
  const id = units[index]?.id;
  return id === undefined ? {} : { unit: id };
}
