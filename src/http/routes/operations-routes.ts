import { sql } from 'kysely';
import Type from 'typebox';
import { AppError } from '../../errors.ts';
import { type Metrics, metricsText } from '../../platform/metrics.ts';
import type { Db } from '../../platform/postgres.ts';
import type { JobQueue } from '../../platform/queue.ts';
import { success } from '../envelope.ts';
import { envelope, errorResponses } from '../schemas.ts';
import type { Server } from '../server.ts';

const Status = Type.Object({ status: Type.String() });

export interface OperationsRouteDependencies {
  db: Db;
  queue: JobQueue;
  metrics: Metrics;
  isDraining: () => boolean;
  /** Metrics of other processes of this start, such as the worker beside the API. */
  otherMetrics: () => readonly object[];
}

/** For load balancers and monitors, at the root: no key, no rate limit. */
export function registerOperationsRoutes(
  server: Server,
  { db, queue, metrics, isDraining, otherMetrics }: OperationsRouteDependencies,
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

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    await readGauges(db, queue, metrics);
    return reply.type(metrics.registry.contentType).send(await metricsText(metrics.registry, otherMetrics()));
  });
}

/** What is read from the database at each scrape. Without a database the last values stand, and the counters still tell. */
async function readGauges(db: Db, queue: JobQueue, metrics: Metrics): Promise<void> {
  try {
    const depth = await queue.depth();
    for (const [lane, { waiting, running, oldestSeconds }] of Object.entries(depth)) {
      metrics.queueJobs.set({ lane, state: 'waiting' }, waiting);
      metrics.queueJobs.set({ lane, state: 'running' }, running);
      metrics.queueOldestSeconds.set({ lane }, oldestSeconds);
    }
    const { rows } = await sql<{ reserved: number }>`
      select coalesce(sum(reserved), 0)::bigint as reserved from credit_balances where reserved > 0`.execute(db);
    metrics.creditsReserved.set(rows[0]?.reserved ?? 0);
  } catch {
    // A scrape must not fail because the database is away: readiness says so.
  }
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
