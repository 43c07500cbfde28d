import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { contentDisposition } from '../platform/storage/content-disposition.ts';
import { type Storage, StorageMissing } from '../platform/storage/storage.ts';
import type { TaskOutput } from '../tasks/task.ts';

/** Sends a stored file, or the part of it that Range asks for. @throws RANGE_NOT_SATISFIABLE, OUTPUT_EXPIRED */
export async function sendOutput(
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

/**
 * One byte range of a Range header (RFC 9110 §14). Several ranges, other units and malformed values are ignored, as the
 * RFC allows: the whole file is sent then.
 */
function parseRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const length = Number(match[2]);
    return length === 0 || sizeBytes === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? sizeBytes - 1 : Number(match[2]);
  if (match[2] !== '' && end < start) return undefined;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end: Math.min(end, sizeBytes - 1) };
}
