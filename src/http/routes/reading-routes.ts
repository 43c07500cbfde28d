/** What a partner reads of a book: its chapters, and links to the reader. */
import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Db } from '../../platform/postgres.ts';
import { requireText } from '../../reading/read-book.ts';
import { chaptersOf, chapterText } from '../../reading/read-chapters.ts';
import { createReaderLink, defaultReaderSeconds, maxReaderSeconds, readerPath } from '../../reading/reader-link.ts';
import { revokeReaderLinks } from '../../reading/reader-link-store.ts';
import { actions } from '../../tasks/task.ts';
import { findTask } from '../../tasks/task-store.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { answers, bodyErrors, created, operation, TaskId } from '../schemas.ts';
import { publicRoot, type Server } from '../server.ts';
import { exact, integer, named, optionalInteger, orNull, text } from '../shapes.ts';

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

const ChapterList = named('ChapterList', { chapters: Type.Array(Chapter) });

const ChapterText = named('ChapterText', {
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

export interface ReaderLinkDependencies {
  db: Db;
  urlSigningKey: Buffer;
  publicUrl: string | undefined;
}

const ReaderLinkSchema = named('ReaderLink', {
  link_id: Type.String(),
  url: Type.String({
    description: 'Open it in a browser. Everybody who has it can read the book until it expires.',
    examples: ['https://toledo.example/read/task_8ta8v2q3ra4acqps0bs2qqnr8c#…'],
  }),
  expires_at: Type.String({ format: 'date-time' }),
  expires_in: integer('Seconds.'),
  editable: Type.Boolean(),
});
const Revoked = Type.Object({ revoked: integer('Links that were live until now.') });

/** Making and withdrawing links to the reader. */
export function registerReaderLinkRoutes(
  server: Server,
  { db, urlSigningKey, publicUrl }: ReaderLinkDependencies,
): void {
  server.post(
    '/tasks/:task_id/reader-link',
    {
      // Without a body everything is as usual.
      preValidation: async (request) => {
        request.body ??= {};
      },
      ...operation('Tasks', 'createReaderLink', 'Get a link to read the book side by side', {
        description:
          'The page shows source and translation beside each other, the names and terms, and the warnings of the report. With `editable`, paragraphs and terms can be corrected there. The link needs no key; it dies when it expires, when it is revoked, with the key that asked for it, and with the text.',
        params: TaskId,
        body: exact({
          expires_in: optionalInteger({
            minimum: 1,
            maximum: maxReaderSeconds,
            default: defaultReaderSeconds,
            description: 'Seconds.',
          }),
          editable: Type.Optional(Type.Boolean({ default: false })),
        }),
        response: created(
          ReaderLinkSchema,
          'The link.',
          'NOT_FOUND',
          'TASK_NOT_DOWNLOADABLE',
          'OUTPUT_EXPIRED',
          ...bodyErrors,
        ),
      }),
    },
    async (request, reply) => {
      const { caller } = admissionOf(request);
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      requireText(task);
      if (!actions[task.action].producesFiles || task.status === 'failed')
        throw new AppError('TASK_NOT_DOWNLOADABLE', 'This task has no book that could be read.');
      const { expires_in: expiresInSeconds = defaultReaderSeconds, editable = false } = request.body;
      const link = await createReaderLink(db, task, { keyId: caller.keyId, editable, expiresInSeconds });
      return reply.status(201).send(
        success({
          link_id: link.id,
          url: publicRoot(request, publicUrl) + readerPath(link, urlSigningKey),
          expires_at: link.expiresAt.toISOString(),
          expires_in: expiresInSeconds,
          editable,
        }),
      );
    },
  );

  server.delete(
    '/tasks/:task_id/reader-links',
    operation('Tasks', 'revokeReaderLinks', 'Withdraw all reader links of a task', {
      params: TaskId,
      response: answers(Revoked, 'How many were withdrawn.', 'NOT_FOUND', ...bodyErrors),
    }),
    async (request) => {
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      return success({ revoked: await revokeReaderLinks(db, task.id) });
    },
  );
  server.delete(
    '/tasks/:task_id/reader-links/:link_id',
    operation('Tasks', 'revokeReaderLink', 'Withdraw one reader link', {
      params: Type.Object({ task_id: Type.String(), link_id: Type.String({ pattern: '^rdl_[0-9a-z]{26}$' }) }),
      response: answers(Revoked, '1, or 0 when it was withdrawn before.', 'NOT_FOUND', ...bodyErrors),
    }),
    async (request) => {
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      return success({ revoked: await revokeReaderLinks(db, task.id, request.params.link_id) });
    },
  );
}
