import type { FastifyReply } from 'fastify';
import { badRequest } from '../errors.ts';

/** Aborts when the client leaves before it has its answer: work that nobody waits for ends. */
export function leavingOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leaving.abort(badRequest('The client left before it had an answer.'));
  });
  return leaving.signal;
}
