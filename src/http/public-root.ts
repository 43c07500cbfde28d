import type { FastifyRequest } from 'fastify';

/** Scheme and host for absolute URLs: as configured, otherwise as in the caller's request. */
export function publicRoot(request: FastifyRequest, configured: string | undefined): string {
  return configured ?? `${request.protocol}://${request.host}`;
}
