import Type from 'typebox';
import type { EditedUnit } from '../../interchange/edited-unit.ts';
import type { Db } from '../../platform/postgres.ts';
import { correctSeries } from '../../series/corrections.ts';
import { findSeries } from '../../series/series-store.ts';
import type { CorrectionReader } from '../../tasks/correction-reader.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { envelope, errorResponses, guardErrors } from '../schemas.ts';
import { CorrectionCounts, Corrections } from '../series-schemas.ts';
import type { Server } from '../server.ts';
import { correctionFileTypes, type SentBody, takeCorrections } from './correction-routes.ts';

const maxRefusalsShown = 100;

export interface SeriesCorrectionRouteDependencies {
  db: Db;
  corrections: CorrectionReader;
}

export function registerSeriesCorrectionRoutes(
  server: Server,
  { db, corrections }: SeriesCorrectionRouteDependencies,
): void {
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
            'As JSON, or as an edited XLIFF or TMX file. From now on every task of the series delivers them word for word and without charge. Each correction is judged for itself.',
          params: Type.Object({ series_id: Type.String() }),
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
            ...errorResponses(...guardErrors, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND'),
          },
        },
      },
      async (request) => {
        const { series_id } = request.params;
        const caller = callingOwner(request);
        const series = await findSeries(db, caller, series_id);
        const sent = { ...(request.body as unknown as SentBody), of: 'series' as const, languages: series };
        const isFile = sent.form === 'file';
        return await corrections.use(sent, caller.accountId, async (units) => {
          const { taken, unchanged, refused, names } = await correctSeries(db, caller, series_id, units, { isFile });
          refused.sort((a, b) => a.index - b.index);
          return success({
            taken,
            unchanged,
            refused: refused.length,
            refusals: refused
              .slice(0, maxRefusalsShown)
              .map((refusal) => ({ ...refusal, ...unitId(units, refusal.index) })),
            terms: names,
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
