import type { FastifyRequest } from 'fastify';
import { type AppError, badRequest } from '../errors.ts';

/** Node keeps the first of two such headers and drops the other; a proxy may do the opposite. So we refuse two. */
export function repeatedHeader(request: FastifyRequest, name: string): AppError | undefined {
  if (timesSent(request.raw.rawHeaders, name) <= 1) return undefined;
  return badRequest(`The header ${name} was sent more than once.`, { field: name, reason: 'DUPLICATE_HEADER' });
}

/** @throws BAD_REQUEST */
export function requireSingle(request: FastifyRequest, name: string): void {
  const fault = repeatedHeader(request, name);
  if (fault) throw fault;
}

/** Every request asks for a few names: Node's `headersDistinct` would first sort all of its headers. */
function timesSent(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  // Names and values take turns.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) times += 1;
  }
  return times;
}
