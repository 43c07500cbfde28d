import Type from 'typebox';
import { AppError, badRequest } from '../../errors.ts';
import type { EditedUnit } from '../../interchange/edited-unit.ts';
import { readCorrections } from '../../interchange/read-corrections.ts';
import type { Db } from '../../platform/postgres.ts';
import { type Correction, correctSeries } from '../../series/corrections.ts';
import { findSeries } from '../../series/series-store.ts';
import { success } from '../envelope.ts';
import { envelope, errorResponses, guardErrors } from '../schemas.ts';
import { seriesCallerOf } from '../series-caller.ts';
import { CorrectionCounts, Corrections, maxCorrections } from '../series-schemas.ts';
import type { Server } from '../server.ts';
import { addCorrectionJson, correctionFileTypes, maxCorrectionBytes } from './correction-routes.ts';

/** A file holds the paragraphs that nobody edited too: a novel of 3 million characters has about 30,000. */
const maxUnits = 50_000;
const maxRefusalsShown = 100;

export function registerSeriesCorrectionRoutes(server: Server, { db }: { db: Db }): void {
  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    scope.removeAllContentTypeParsers();
    addCorrectionJson(scope);
    const file = { parseAs: 'buffer', bodyLimit: maxCorrectionBytes } as const;
    scope.addContentTypeParser(correctionFileTypes, file, (_request, body, done) => done(null, body));
    scope.post(
      '/series/:series_id/corrections',
      {
        // A file is judged by its reader; JSON below.
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
        const caller = seriesCallerOf(request);
        const series = await findSeries(db, caller, series_id);
        const isFile = Buffer.isBuffer(request.body);
        const units = isFile ? await unitsOf(request.body as Buffer, series) : undefined;
        const sent = units ?? listed(request.body);
        const { taken, unchanged, refused, names } = await correctSeries(db, caller, series_id, sent, { isFile });
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
      },
    );
  });
}

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
async function unitsOf(
  file: Buffer,
  languages: { sourceLang: string | undefined; targetLang: string },
): Promise<EditedUnit[]> {
  const units = await readCorrections(file, languages);
  if (units.length <= maxUnits) return units;
  throw new AppError('PAYLOAD_TOO_LARGE', `The file has more than ${maxUnits} units; send it in parts.`, {
    details: { field: 'file', reason: 'TOO_MANY_CORRECTIONS', limit: maxUnits },
  });
}

function unitId(units: readonly EditedUnit[] | undefined, index: number): { unit?: string } {
  const id = units?.[index]?.id;
  return id === undefined ? {} : { unit: id };
}

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
function listed(body: unknown): Correction[] {
  const fault = (message: string, index?: number) =>
    badRequest(message, { field: 'corrections', reason: 'BAD_CORRECTIONS', ...(index === undefined ? {} : { index }) });
  if (!Array.isArray(body) || body.length === 0)
    throw fault('Send [{"source": "…", "target": "…"}], or an XLIFF or TMX file.');
  if (body.length > maxCorrections) {
    throw new AppError('PAYLOAD_TOO_LARGE', `There are more than ${maxCorrections} corrections; send them in parts.`, {
      details: { field: 'corrections', reason: 'TOO_MANY_CORRECTIONS', limit: maxCorrections },
    });
  }
  return body.map((entry: unknown, index) => {
    const { source, target, ...others } = (entry ?? {}) as Record<string, unknown>;
    if (typeof source !== 'string' || source === '' || typeof target !== 'string' || Object.keys(others).length > 0)
      throw fault('A correction has a source and a target, both text, and nothing else.', index);
    return { source, target };
  });
}
