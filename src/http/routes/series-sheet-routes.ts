import Type from 'typebox';
import type { Db } from '../../platform/postgres.ts';
import { replaceSheet, sheetBounds, sheetFieldNames, showSheet } from '../../series/series-sheet.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { answers, bodyErrors, operation, SeriesId } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, namedExact, orNull } from '../shapes.ts';

/** Several times what a full sheet takes, in any script. */
const maxSheetBytes = 64 * 1024;

export function registerSeriesSheetRoutes(server: Server, { db }: { db: Db }): void {
  server.get(
    '/series/:series_id/sheet',
    operation('Series', 'getSeriesSheet', 'Show how a series is translated', {
      description: 'What its volumes have settled, or what you have set: later volumes begin with it.',
      params: SeriesId,
      response: answers(SheetResult, 'The sheet.', 'NOT_FOUND'),
    }),
    async (request) => success(await showSheet(db, callingOwner(request), request.params.series_id)),
  );

  server.put(
    '/series/:series_id/sheet',
    {
      bodyLimit: maxSheetBytes,
      ...operation('Series', 'setSeriesSheet', 'Set how a series is translated', {
        description:
          'In place of what is there. What you set stands: later volumes follow it and only add what it leaves open. `{}` empties it. Paragraphs that are remembered stay as they are.',
        params: SeriesId,
        body: SheetSchema,
        response: answers(SheetResult, 'The sheet as it is now.', ...bodyErrors, 'NOT_FOUND'),
      }),
    },
    async (request) =>
      success(await replaceSheet(db, callingOwner(request), request.params.series_id, request.body as object)),
  );
}

/** The wire shape of a sheet: how a book or a series is translated. */
const { field, name, form, voice, phrase } = sheetBounds;
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const fields = Object.fromEntries(sheetFieldNames.map((each) => [each, Type.Optional(text(field))])) as Record<
  (typeof sheetFieldNames)[number],
  ReturnType<typeof Type.Optional<ReturnType<typeof text>>>
>;

const SheetSchema = namedExact(
  'Sheet',
  {
    ...fields,
    address: Type.Optional(
      Type.Array(exact({ from: text(name), to: text(name), form: text(form) }), {
        maxItems: sheetBounds.address,
        description: 'Who says which form of "you" to whom.',
      }),
    ),
    voices: Type.Optional(
      Type.Array(exact({ name: text(name), voice: text(voice) }), {
        maxItems: sheetBounds.voices,
        description: 'How main characters speak.',
      }),
    ),
    phrases: Type.Optional(
      Type.Array(exact({ source: text(phrase), target: text(phrase) }), {
        maxItems: sheetBounds.phrases,
        description: 'What comes back word for word, and its rendering.',
      }),
    ),
  },
  { description: 'What was settled before the first page: a line for each decision, in English.' },
);

export const SheetResult = Type.Object({
  sheet: orNull(SheetSchema, 'Null when nothing is settled.'),
});
