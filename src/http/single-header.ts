import type { FastifyRequest } from 'fastify';
import { type AppError, badRequest } from '../errors.ts';

/** Node keeps the first of two such headers and drops the other; a proxy may do the opposite. So we refuse two. */
export function repeatedHeader(request: FastifyRequest, name: string): AppError | undefined {
  if ((request.raw.headersDistinct[name]?.length ?? 0) <= 1) return undefined;
  return badRequest(`The header ${name} was sent more than once.`, { field: name, reason: 'DUPLICATE_HEADER' });
}

/** @throws BAD_REQUEST */
export function requireSingle(request: FastifyRequest, name: string): void {
  const fault = repeatedHeader(request, name);
  if (fault) throw fault;
}
