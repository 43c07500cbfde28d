import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import { totalReserved } from '../../credits/ledger-store.ts';
import { AppError } from '../../errors.ts';
import { shared } from '../../platform/lazily.ts';
import { type Metrics, metricsText } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Db, ping } from '../../platform/postgres.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Secret } from '../../secret.ts';
import { laneDepths } from '../../tasks/task-store.ts';
import { success } from '../envelope.ts';
import { sameText } from '../page-session.ts';
import { envelope, errorResponses, operation, unlisted } from '../schemas.ts';
import type { Server } from '../server.ts';

const Status = Type.Object({ status: Type.String({ examples: ['ready'] }) });

export interface OperationsRouteDependencies extends Pick<Platform, 'db' | 'metrics'> {
  isDraining: () => boolean;
  /** The place where sources are stored, when this machine's disk is that place. */
  localStorage: Pick<Storage, 'check'> | undefined;
  /** Bearer token that a scrape must send; undefined = none. */
  metricsToken: Secret | undefined;
  /** False where metrics have a port of their own. */
  servesMetrics: boolean;
  /** Metrics of other processes of this start, such as the worker beside the API. */
  otherMetrics: () => readonly object[];
}

/** For load balancers and monitors, at the root: no key, no rate limit. */
export function registerOperationsRoutes(
  server: Server,
  { db, metrics, isDraining, otherMetrics, localStorage, metricsToken, servesMetrics }: OperationsRouteDependencies,
): void {
  // It writes to the disk, and a balancer may ask often.
  const diskCheck = localStorage && shared(() => localStorage.check(), 5_000);
  server.get(
    '/healthz',
    operation('Operations', 'getHealth', 'The process is alive', {
      security: [],
      response: { 200: { ...envelope(Status), description: 'Alive.' }, ...errorResponses() },
    }),
    async () => success({ status: 'alive' }),
  );

  server.get(
    '/readyz',
    operation('Operations', 'getReadiness', 'The process can take requests', {
      description: 'Not ready while the process drains, cannot reach its database or cannot store files.',
      security: [],
      response: { 200: { ...envelope(Status), description: 'Ready.' }, ...errorResponses() },
    }),
    async () => {
      if (isDraining()) throw new AppError('UNAVAILABLE', 'This process is shutting down.', { retryAfterSeconds: 5 });
      await answersWithin(db, 1_500);
      await diskCheck?.();
      return success({ status: 'ready' });
    },
  );

  if (!servesMetrics) return;
  server.get('/metrics', unlisted({}), async (request, reply) => {
    if (metricsToken && !sameText(request.headers.authorization ?? '', `Bearer ${metricsToken.reveal()}`))
      throw new AppError('UNAUTHORIZED', 'Metrics need the operator token as a bearer token.');
    await readGauges(db, metrics);
    return reply.type(metrics.registry.contentType).send(await metricsText(metrics.registry, otherMetrics()));
  });
}

/** Values read from the database at each scrape. Without a database the last values stay, and the counters still work. */
async function readGauges(db: Db, metrics: Metrics): Promise<void> {
  try {
    const depth = await laneDepths(db);
    for (const [lane, { waiting, running, oldestSeconds }] of Object.entries(depth)) {
      metrics.queueJobs.set({ lane, state: 'waiting' }, waiting);
      metrics.queueJobs.set({ lane, state: 'running' }, running);
      metrics.queueOldestSeconds.set({ lane }, oldestSeconds);
    }
    metrics.creditsReserved.set(await totalReserved(db));
  } catch {
    // A scrape must not fail when the database is away: readiness reports that.
  }
}

async function answersWithin(db: Db, timeoutMs: number): Promise<void> {
  const tooLate = sleep(timeoutMs, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('no answer in time')),
  );
  await Promise.race([ping(db), tooLate]).catch((cause) => {
    throw new AppError('UNAVAILABLE', 'The database does not answer.', { retryAfterSeconds: 2, cause });
  });
}
