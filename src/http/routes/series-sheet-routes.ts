import Type from 'typebox';
import type { Db } from '../../platform/postgres.ts';
import { replaceSheet, showSheet } from '../../series/series-sheet.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { answers, envelope, errorResponses, guardErrors } from '../schemas.ts';
import type { Server } from '../server.ts';
import { SheetResult, SheetSchema } from '../sheet-schema.ts';

const SeriesId = Type.Object({ series_id: Type.String() });
const bodyErrors = [...guardErrors, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND'] as const;
/** Several times what a full sheet takes, in any script. */
const maxSheetBytes = 64 * 1024;

export function registerSeriesSheetRoutes(server: Server, { db }: { db: Db }): void {
  server.get(
    '/series/:series_id/sheet',
    {
      schema: {
        operationId: 'getSeriesSheet',
        tags: ['Series'],
        summary: 'Show how a series is translated',
        description: 'What its volumes have settled, or what you have set: later volumes begin with it.',
        params: SeriesId,
        response: answers(SheetResult, 'The sheet.', 'NOT_FOUND'),
      },
    },
    async (request) => success(await showSheet(db, callingOwner(request), request.params.series_id)),
  );

  server.put(
    '/series/:series_id/sheet',
    {
      bodyLimit: maxSheetBytes,
      schema: {
        operationId: 'setSeriesSheet',
        tags: ['Series'],
        summary: 'Set how a series is translated',
        description:
          'In place of what is there. What you set stands: later volumes follow it and only add what it leaves open. `{}` empties it. Paragraphs that are remembered stay as they are.',
        params: SeriesId,
        body: SheetSchema,
        response: {
          200: { ...envelope(SheetResult), description: 'The sheet as it is now.' },
          ...errorResponses(...bodyErrors),
        },
      },
    },
    async (request) =>
      success(await replaceSheet(db, callingOwner(request), request.params.series_id, request.body as object)),
  );
}
