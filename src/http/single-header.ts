import type { FastifyRequest } from 'fastify';
import { badRequest } from '../errors.ts';

/**
 * Node keeps the first of two such headers and drops the other; a proxy may do the opposite. So we refuse two.
 * @throws BAD_REQUEST
 */
export function requireSingle(request: FastifyRequest, name: string): void {
  if ((request.raw.headersDistinct[name]?.length ?? 0) > 1) {
    throw badRequest(`The header ${name} was sent more than once.`, { field: name, reason: 'DUPLICATE_HEADER' });
  }
}
