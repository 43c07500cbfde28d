/** The wire shapes of chapters. */
import Type from 'typebox';
import { named } from './schemas.ts';

const nullableString = Type.Union([Type.String(), Type.Null()]);

const state = {
  index: Type.Integer({ minimum: 1, description: 'In reading order, from 1.' }),
  title: nullableString,
  characters: Type.Integer({ description: 'Of the source.' }),
  status: Type.String({ enum: ['pending', 'ready'], description: 'ready: every passage of it is translated.' }),
  final: Type.Boolean({ description: 'False until the task has ended: names may still be corrected throughout.' }),
};

const Chapter = named('Chapter', Type.Object({ ...state, translated_title: nullableString }));

export const ChapterList = named('ChapterList', Type.Object({ chapters: Type.Array(Chapter) }));

export const ChapterText = named(
  'ChapterText',
  Type.Object({
    ...state,
    blocks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'As in the report.', examples: ['b12'] }),
        kind: Type.String({ description: 'heading, paragraph, verse, list-item, cell, note, caption or label.' }),
        source: Type.String(),
        translation: Type.Union([Type.String(), Type.Null()], { description: 'Null while it is not translated.' }),
        flags: Type.Array(Type.String(), {
          description: '`kept` where nothing was to be translated; otherwise what a reader should look at.',
        }),
      }),
    ),
  }),
);
