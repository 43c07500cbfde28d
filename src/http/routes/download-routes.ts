import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownerOfKey } from '../../accounts/account-store.ts';
import type { Owner } from '../../platform/owner-store.ts';
import type { Platform } from '../../platform/platform.ts';
import type { OutputMaker } from '../../reading/output-maker.ts';
import { invalid, isSigned, verifyDownload } from '../../tasks/download-links.ts';
import { downloadableTask } from '../../tasks/downloadable-task.ts';
import { callingOwner, type Guard } from '../guard.ts';
import { errorResponses, guardErrors, operation, TaskId, unlisted } from '../schemas.ts';
import { sendOutput } from '../send-output.ts';
import type { Server } from '../server.ts';

export interface DownloadRouteDependencies extends Pick<Platform, 'db' | 'storage'> {
  maker: OutputMaker;
  urlSigningKey: Buffer;
  guard: Guard;
}

/** The files themselves, for a Bearer key or a signed URL. Signed downloads have no rate limit. */
export function registerDownloadRoutes(
  server: Server,
  { db, storage, maker, urlSigningKey, guard }: DownloadRouteDependencies,
): void {
  const url = '/api/tasks/download-file/:task_id';
  // Fastify's own HEAD would report the length of an empty answer.
  server.route({ method: 'HEAD', url, ...unlisted({}), handler: (request, reply) => download(request, reply) });
  server.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    ...operation('Tasks', 'downloadFile', 'Download a file', {
      description:
        'With your Bearer key, or through the signed URL of GET /tasks/{task_id}/download. A file that the task was created without is made first. Supports Range and HEAD.',
      params: TaskId,
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
          'STORAGE_QUOTA',
        ),
      },
    }),
    // The body is a stream, although the schema describes bytes.
    handler: (request, reply) => download(request, reply) as Promise<never>,
  });

  const download = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { task_id: taskId } = request.params as { task_id: string };
    const query = new URLSearchParams(request.raw.url?.replace(/^[^?]*/, ''));
    let owner: Owner;
    let fileId = query.get('file_id') ?? 'translated';
    if (isSigned(query)) {
      const grant = verifyDownload(taskId, query, urlSigningKey, new Date());
      const asked = await ownerOfKey(db, grant.keyId);
      if (asked === undefined) throw invalid();
      owner = asked.owner;
      fileId = grant.fileId;
    } else {
      await guard(request, reply);
      owner = callingOwner(request);
    }
    const task = await downloadableTask(db, owner, taskId, fileId);
    return await sendOutput(request, reply, storage, await maker.listed(task, fileId));
  };
}
