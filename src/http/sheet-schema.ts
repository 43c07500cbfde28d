/** The wire shape of a sheet: how a book or a series is translated. */
import Type from 'typebox';
import { sheetBounds, sheetFieldNames } from '../series/series-sheet.ts';
import { named } from './schemas.ts';

const { field, name, form, voice, phrase } = sheetBounds;
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const fields = Object.fromEntries(sheetFieldNames.map((each) => [each, Type.Optional(text(field))])) as Record<
  (typeof sheetFieldNames)[number],
  ReturnType<typeof Type.Optional<ReturnType<typeof text>>>
>;

export const SheetSchema = named(
  'Sheet',
  Type.Object(
    {
      ...fields,
      address: Type.Optional(
        Type.Array(
          Type.Object({ from: text(name), to: text(name), form: text(form) }, { additionalProperties: false }),
          {
            maxItems: sheetBounds.address,
            description: 'Who says which form of "you" to whom.',
          },
        ),
      ),
      voices: Type.Optional(
        Type.Array(Type.Object({ name: text(name), voice: text(voice) }, { additionalProperties: false }), {
          maxItems: sheetBounds.voices,
          description: 'How main characters speak.',
        }),
      ),
      phrases: Type.Optional(
        Type.Array(Type.Object({ source: text(phrase), target: text(phrase) }, { additionalProperties: false }), {
          maxItems: sheetBounds.phrases,
          description: 'What comes back word for word, and its rendering.',
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'What was settled before the first page: a line for each decision, in English.',
    },
  ),
);

export const SheetResult = Type.Object({
  sheet: Type.Union([SheetSchema, Type.Null()], { description: 'Null when nothing is settled.' }),
});
