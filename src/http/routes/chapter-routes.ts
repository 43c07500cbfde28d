import Type from 'typebox';
import type { Db } from '../../platform/postgres.ts';
import { chaptersOf, chapterText } from '../../reading/read-chapters.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { answers, operation, TaskId } from '../schemas.ts';
import type { Server } from '../server.ts';
import { integer, named, orNull, text } from '../shapes.ts';

const readErrors = ['NOT_FOUND', 'TASK_NOT_DOWNLOADABLE', 'OUTPUT_EXPIRED'] as const;

/** What is translated of a book, while it runs and afterwards. */
export function registerChapterRoutes(server: Server, db: Db): void {
  server.get(
    '/tasks/:task_id/chapters',
    operation('Tasks', 'listChapters', 'List the chapters of a translation', {
      description:
        'Chapters are translated from the front and can be read while the task runs. Empty until the book has been analysed.',
      params: TaskId,
      response: answers(ChapterList, 'The chapters in reading order.', ...readErrors),
    }),
    async (request) => success({ chapters: await chaptersOf(db, callingOwner(request), request.params.task_id) }),
  );

  server.get(
    '/tasks/:task_id/chapters/:index',
    operation('Tasks', 'getChapter', 'Read a chapter', {
      description: 'Source and translation paragraph by paragraph, without inline markup.',
      params: Type.Object({
        task_id: Type.String(),
        index: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      }),
      response: answers(ChapterText, 'The chapter as it is now.', ...readErrors),
    }),
    async (request) => {
      const { task_id, index } = request.params;
      return success(await chapterText(db, callingOwner(request), task_id, index));
    },
  );
}

/** The wire shapes of chapters. */

const state = {
  index: Type.Integer({ minimum: 1, description: 'In reading order, from 1.' }),
  title: orNull(Type.String()),
  characters: integer('Of the source.'),
  status: Type.String({ enum: ['pending', 'ready'], description: 'ready: every passage of it is translated.' }),
  final: Type.Boolean({ description: 'False until the task has ended: names may still be corrected throughout.' }),
};

const Chapter = named('Chapter', { ...state, translated_title: orNull(Type.String()) });

export const ChapterList = named('ChapterList', { chapters: Type.Array(Chapter) });

export const ChapterText = named('ChapterText', {
  ...state,
  blocks: Type.Array(
    Type.Object({
      id: Type.String({ description: 'As in the report.', examples: ['b12'] }),
      kind: text('heading, paragraph, verse, list-item, cell, note, caption or label.'),
      source: Type.String(),
      translation: orNull(Type.String(), 'Null while it is not translated.'),
      flags: Type.Array(Type.String(), {
        description: '`kept` where nothing was to be translated; otherwise what a reader should look at.',
      }),
    }),
  ),
});
