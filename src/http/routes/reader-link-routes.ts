import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Db } from '../../platform/postgres.ts';
import { createReaderLink, defaultReaderSeconds, maxReaderSeconds, readerPath } from '../../reading/reader-link.ts';
import { revokeReaderLinks } from '../../reading/reader-link-store.ts';
import { actions } from '../../tasks/task.ts';
import { findTask } from '../../tasks/task-store.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { created, envelope, errorResponses, guardErrors, named } from '../schemas.ts';
import { publicRoot, type Server } from '../server.ts';

export interface ReaderLinkDependencies {
  db: Db;
  urlSigningKey: Buffer;
  publicUrl: string | undefined;
}

const ReaderLinkSchema = named(
  'ReaderLink',
  Type.Object({
    link_id: Type.String(),
    url: Type.String({
      description: 'Open it in a browser. Everybody who has it can read the book until it expires.',
      examples: ['https://toledo.example/read/task_8ta8v2q3ra4acqps0bs2qqnr8c#…'],
    }),
    expires_at: Type.String({ format: 'date-time' }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    editable: Type.Boolean(),
  }),
);
const Revoked = Type.Object({ revoked: Type.Integer({ description: 'Links that were live until now.' }) });

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
      schema: {
        operationId: 'createReaderLink',
        tags: ['Tasks'],
        summary: 'Get a link to read the book side by side',
        description:
          'The page shows source and translation beside each other, the names and terms, and the warnings of the report. With `editable`, paragraphs and terms can be corrected there. The link needs no key; it dies when it expires, when it is revoked, with the key that asked for it, and with the text.',
        params: Type.Object({ task_id: Type.String() }),
        body: Type.Object(
          {
            expires_in: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: maxReaderSeconds,
                default: defaultReaderSeconds,
                description: 'Seconds.',
              }),
            ),
            editable: Type.Optional(Type.Boolean({ default: false })),
          },
          { additionalProperties: false },
        ),
        response: created(
          ReaderLinkSchema,
          'The link.',
          'NOT_FOUND',
          'TASK_NOT_DOWNLOADABLE',
          'OUTPUT_EXPIRED',
          'UNSUPPORTED_MEDIA_TYPE',
          'PAYLOAD_TOO_LARGE',
        ),
      },
    },
    async (request, reply) => {
      const { caller } = admissionOf(request);
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      if (task.purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this task was removed.');
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

  const revoke = { ...errorResponses(...guardErrors, 'NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE') };
  server.delete(
    '/tasks/:task_id/reader-links',
    {
      schema: {
        operationId: 'revokeReaderLinks',
        tags: ['Tasks'],
        summary: 'Withdraw all reader links of a task',
        params: Type.Object({ task_id: Type.String() }),
        response: { 200: { ...envelope(Revoked), description: 'How many were withdrawn.' }, ...revoke },
      },
    },
    async (request) => {
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      return success({ revoked: await revokeReaderLinks(db, task.id) });
    },
  );
  server.delete(
    '/tasks/:task_id/reader-links/:link_id',
    {
      schema: {
        operationId: 'revokeReaderLink',
        tags: ['Tasks'],
        summary: 'Withdraw one reader link',
        params: Type.Object({ task_id: Type.String(), link_id: Type.String({ pattern: '^rdl_[0-9a-z]{26}$' }) }),
        response: { 200: { ...envelope(Revoked), description: '1, or 0 when it was withdrawn before.' }, ...revoke },
      },
    },
    async (request) => {
      const task = await findTask(db, callingOwner(request), request.params.task_id);
      return success({ revoked: await revokeReaderLinks(db, task.id, request.params.link_id) });
    },
  );
}
