import { sql } from 'kysely';
import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Db } from '../../platform/postgres.ts';
import { success } from '../envelope.ts';
import { envelope, errorResponses } from '../schemas.ts';
import type { Server } from '../server.ts';

const Status = Type.Object({ status: Type.String() });

/** For load balancers and monitors, at the root: no key, no rate limit. */
export function registerOperationsRoutes(
  server: Server,
  { db, metrics, isDraining }: { db: Db; metrics: Metrics; isDraining: () => boolean },
): void {
  server.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['Operations'],
        summary: 'The process is alive',
        security: [],
        response: { 200: { ...envelope(Status), description: 'Alive.' }, ...errorResponses() },
      },
    },
    async () => success({ status: 'alive' }),
  );

  server.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        tags: ['Operations'],
        summary: 'The process can take requests',
        description: 'Not ready while the process drains or cannot reach its database.',
        security: [],
        response: { 200: { ...envelope(Status), description: 'Ready.' }, ...errorResponses() },
      },
    },
    async () => {
      if (isDraining()) throw new AppError('UNAVAILABLE', 'This process is shutting down.', { retryAfterSeconds: 5 });
      await answersWithin(db, 1_500);
      return success({ status: 'ready' });
    },
  );

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}

async function answersWithin(db: Db, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  });
  try {
    await Promise.race([sql`select 1`.execute(db), tooLate]);
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The database does not answer.', { retryAfterSeconds: 2, cause });
  } finally {
    clearTimeout(timer);
  }
}
