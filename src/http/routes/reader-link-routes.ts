import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Db } from '../../platform/postgres.ts';
import { requireText } from '../../reading/read-book.ts';
import { createReaderLink, defaultReaderSeconds, maxReaderSeconds, readerPath } from '../../reading/reader-link.ts';
import { revokeReaderLinks } from '../../reading/reader-link-store.ts';
import { actions } from '../../tasks/task.ts';
import { findTask } from '../../tasks/task-store.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { answers, bodyErrors, created, operation, TaskId } from '../schemas.ts';
import { publicRoot, type Server } from '../server.ts';
import { exact, integer, named, optionalInteger } from '../shapes.ts';

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
