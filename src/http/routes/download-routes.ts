import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { accountOfLiveKey } from '../../accounts/account-store.ts';
import { AppError } from '../../errors.ts';
import type { Db } from '../../platform/postgres.ts';
import { contentDisposition } from '../../platform/storage/content-disposition.ts';
import { type Storage, StorageMissing } from '../../platform/storage/storage.ts';
import { invalid, isSigned, verifyDownload } from '../../tasks/download-links.ts';
import { findOutput } from '../../tasks/find-output.ts';
import type { TaskOutput } from '../../tasks/task.ts';
import { parseRange } from '../byte-range.ts';
import type { Guard } from '../guard.ts';
import { admissionOf } from '../guard.ts';
import { errorResponses, guardErrors } from '../schemas.ts';
import type { Server } from '../server.ts';

export interface DownloadRouteDependencies {
  db: Db;
  storage: Storage;
  urlSigningKey: Buffer;
  guard: Guard;
}

/** The files themselves, for a Bearer key or a signed URL. Signed downloads have no rate limit. */
export function registerDownloadRoutes(
  server: Server,
  { db, storage, urlSigningKey, guard }: DownloadRouteDependencies,
): void {
  const url = '/api/tasks/download-file/:task_id';
  // Fastify's own HEAD would report the length of an empty answer.
  server.route({ method: 'HEAD', url, schema: { hide: true }, handler: (request, reply) => download(request, reply) });
  server.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    schema: {
      operationId: 'downloadFile',
      tags: ['Tasks'],
      summary: 'Download a file',
      description:
        'With your Bearer key, or through the signed URL of GET /tasks/{task_id}/download. Supports Range and HEAD.',
      params: Type.Object({ task_id: Type.String() }),
      response: {
        200: {
          description: 'The file.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        206: {
          description: 'The part of the file that Range asked for.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        ...errorResponses(
          ...guardErrors,
          'DOWNLOAD_URL_INVALID',
          'DOWNLOAD_URL_EXPIRED',
          'NOT_FOUND',
          'TASK_NOT_READY',
          'TASK_NOT_DOWNLOADABLE',
          'OUTPUT_EXPIRED',
          'RANGE_NOT_SATISFIABLE',
        ),
      },
    },
    // The body is a stream, although the schema describes bytes.
    handler: (request, reply) => download(request, reply) as Promise<never>,
  });

  const download = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { task_id: taskId } = request.params as { task_id: string };
    const query = new URLSearchParams(request.raw.url?.replace(/^[^?]*/, ''));
    let accountId: string;
    let fileId = query.get('file_id') ?? undefined;
    if (isSigned(query)) {
      const grant = verifyDownload(taskId, query, [urlSigningKey], new Date());
      const owner = await accountOfLiveKey(db, grant.keyId);
      if (owner === undefined) throw invalid();
      accountId = owner;
      fileId = grant.fileId;
    } else {
      await guard(request, reply);
      accountId = admissionOf(request).caller.accountId;
    }
    const { output } = await findOutput(db, accountId, taskId, fileId);
    return await send(request, reply, storage, output);
  };
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  storage: Storage,
  output: TaskOutput,
): Promise<FastifyReply> {
  const etag = `"${output.sha256}"`;
  reply
    .header('accept-ranges', 'bytes')
    .header('etag', etag)
    .header('content-disposition', contentDisposition(output.fileName))
    .type(output.mediaType);
  // A range of a file that has changed since makes no sense; ours never change, but If-Range has to be honoured.
  const ifRange = request.headers['if-range'];
  const wanted =
    ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, output.sizeBytes) : undefined;
  if (wanted === 'unsatisfiable') {
    reply.header('content-range', `bytes */${output.sizeBytes}`);
    throw new AppError('RANGE_NOT_SATISFIABLE', 'The range lies outside the file.', {
      details: { size_bytes: output.sizeBytes },
    });
  }
  const range = wanted ?? { start: 0, end: output.sizeBytes - 1 };
  reply.status(wanted ? 206 : 200).header('content-length', String(range.end - range.start + 1));
  if (wanted) reply.header('content-range', `bytes ${range.start}-${range.end}/${output.sizeBytes}`);
  if (request.method === 'HEAD') return reply.send();
  try {
    const { body } = await storage.get(output.storageKey, wanted ? { range } : {});
    return reply.send(body);
  } catch (error) {
    if (error instanceof StorageMissing)
      throw new AppError('OUTPUT_EXPIRED', 'The file was removed.', { cause: error });
    throw error;
  }
}
