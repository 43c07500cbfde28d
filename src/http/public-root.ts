import type { FastifyRequest } from 'fastify';

/** Scheme and host for absolute URLs: as configured, else as the caller itself reached us. */
export function publicRoot(request: FastifyRequest, configured: string | undefined): string {
  return configured ?? `${request.protocol}://${request.host}`;
}
