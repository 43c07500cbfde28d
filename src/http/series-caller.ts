import type { FastifyRequest } from 'fastify';
import type { SeriesCaller } from '../series/series-store.ts';
import { admissionOf } from './guard.ts';

export function seriesCallerOf(request: FastifyRequest): SeriesCaller {
  const { accountId, mode } = admissionOf(request).caller;
  return { accountId, sandbox: mode === 'test' };
}
