/**
 * The job engine: pg-boss behind a small interface, the only file that knows it. A job carries a task's id and nothing
 * else. Enqueueing and completing happen inside the caller's transaction, so a task and its job exist together or not
 * at all. Other workers take over a dead worker's jobs after its heartbeat stops: 10 s plus at most 2 s until one looks.
 *
 * Two lanes, so that a short task never waits for a slot behind novels. Inside a lane the priority is virtual time: an
 * account's n-th waiting task comes after every other account's (n−1)-th.
 */
import { randomUUID } from 'node:crypto';
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Log } from './log.ts';
import { OutageLog } from './outage-log.ts';
import type { Pool, Trx } from './postgres.ts';
import { createDeliveryQueue, deliveryQueue, openQueueClient } from './queue-deliveries.ts';

export type Lane = 'short' | 'book';
const lanes: readonly Lane[] = ['short', 'book'];

export interface QueuedTask {
  taskId: string;
  accountId: string;
  lane: Lane;
  /** The account's tasks already waiting or running in this lane. */
  ahead: number;
  /** Left out: a new one. */
  jobId?: string;
  delaySeconds?: number;
}

/** A job as its handler sees it. */
export interface RunningJob {
  taskId: string;
  /** Its place in virtual time, as it was enqueued. */
  ahead: number;
  /** Aborts when the job was cancelled, its claim lapsed, or the process is stopping. */
  signal: AbortSignal;
  /** Marks the job done in the same transaction as its result. */
  complete(trx: Trx): Promise<void>;
}

type Handler = (job: RunningJob) => Promise<void>;

export type JobQueue = Awaited<ReturnType<typeof openQueue>>;

export interface QueueOptions {
  pool: Pool;
  /**
   * Workers listen on a connection of their own, which must not lead through a pooler in transaction mode; processes
   * that only enqueue need none.
   */
  databaseUrl: string;
  works: boolean;
  log: Log;
}

interface JobData {
  task: string;
}

/** Time for a handler after its signal fired; then other workers may take its job. */
const stopTimeoutMs = 6_000;
/** Novels of one account that run at once in one process; the other slots stay free for other accounts. */
const booksPerAccount = 3;

const openStates: readonly JobWithMetadata['state'][] = ['created', 'retry', 'active'];

/** Passed through to the driver, as in postgres.ts: a dead connection must not stop a worker for ever. */
const silentLine = { query_timeout: 15_000 };

export async function openQueue({ pool, databaseUrl, works, log }: QueueOptions) {
  const boss = works ? openWorkingQueue(databaseUrl, log) : await openQueueClient(pool, log);
  try {
    if (works) await boss.start();
    await createLanes(boss);
    await createDeliveryQueue(boss);
    await warmCache(boss);
  } catch (error) {
    // Its timers would keep a process alive that does no work, and no supervisor would replace it.
    await boss.stop({ graceful: false, close: true }).catch(() => {});
    throw error;
  }

  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const handle = async (lane: Lane, job: JobWithMetadata<JobData>, handler: Handler): Promise<void> => {
    const run = handler({
      taskId: job.data.task,
      ahead: -job.priority,
      signal: AbortSignal.any([job.signal, stopping.signal]),
      complete: async (trx) => void (await boss.complete(lane, job, null, { db: fromKysely(trx) })),
    });
    const settled = run.catch(() => {});
    running.add(settled);
    await run.finally(() => running.delete(settled));
  };

  return {
    ...deliveryQueue(boss),
    /** Returns the job's id. A worker is woken by the commit. */
    async enqueue(trx: Trx, task: QueuedTask): Promise<string> {
      const { jobId: id = randomUUID() } = task;
      await boss.send(task.lane, { task: task.taskId } satisfies JobData, {
        id,
        priority: -task.ahead,
        group: { id: task.accountId },
        ...(task.delaySeconds ? { startAfter: task.delaySeconds } : {}),
        db: fromKysely(trx),
      });
      return id;
    },
    async cancel(trx: Trx, lane: Lane, jobId: string): Promise<void> {
      await boss.cancel(lane, jobId, { db: fromKysely(trx) });
    },
    /** Whether the job waits, runs or will be tried again. */
    async isOpen(lane: Lane, jobId: string): Promise<boolean> {
      const [job] = await boss.findJobs(lane, { id: jobId });
      return job !== undefined && openStates.includes(job.state);
    },
    /** Starts taking jobs. If a handler throws, its job is retried. */
    async work(slots: Record<Lane, number>, handler: Handler): Promise<void> {
      const options = {
        pollingIntervalSeconds: 1,
        // Notifications are for speed; a job whose notification was lost is found within a second all the same.
        notifyPollingIntervalSeconds: 1,
        heartbeatRefreshSeconds: 1,
        includeMetadata: true as const,
      };
      const shared = {
        short: { localConcurrency: slots.short, localGroupConcurrency: Math.ceil(slots.short / 2) },
        // The job engine refuses to start with more slots for one account than there are for all.
        book: { localConcurrency: slots.book, localGroupConcurrency: Math.min(booksPerAccount, slots.book) },
      };
      for (const lane of lanes) {
        await boss.work(lane, { ...options, ...shared[lane] }, async ([job]: JobWithMetadata<JobData>[]) => {
          try {
            // Fetched while the process was asked to stop: the job goes back before anybody has begun it.
            stopping.signal.throwIfAborted();
            if (job) await handle(lane, job, handler);
          } finally {
            // A slot that has ended a job looks for the next one at once instead of sleeping first.
            for (const worker of boss.getWipData())
              if (worker.name === lane && worker.count > 0) boss.notifyWorker(worker.id);
          }
        });
      }
    },
    /** By lane, a value that changes as long as its slots look for work or are all at work. */
    signs(): Record<Lane, number> {
      const signOf = (lane: Lane) => {
        const idle = boss.getWipData().filter(({ name, count }) => name === lane && count === 0);
        // A slot at work looks for no other.
        if (idle.length === 0) return performance.now();
        return Math.max(
          ...idle.map(({ lastFetchedOn, lastErrorOn }) => Math.max(lastFetchedOn ?? 0, lastErrorOn ?? 0)),
        );
      };
      return { short: signOf('short'), book: signOf('book') };
    },
    async stop() {
      // First of all no slot looks for work any more: it would find what the others give back.
      for (const lane of lanes) await boss.offWork(lane, { wait: false });
      stopping.abort(new Error('the process is stopping'));
      const waited = boss.stop({ graceful: true, timeout: stopTimeoutMs, close: true });
      await Promise.all(running);
      await waited;
    },
  };
}

function openWorkingQueue(databaseUrl: string, log: Log): PgBoss {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'toledo queue',
    max: 4,
    ...silentLine,
    useListenNotify: true,
    monitorIntervalSeconds: 2,
    superviseIntervalSeconds: 2,
    schedule: false,
  });
  boss.on('error', (err) => log.warn({ err: OutageLog.ofDatabase(err) }, 'queue'));
  return boss;
}

/**
 * The job engine remembers its queues, and asks for one that it does not know while a create holds a connection of the
 * same pool. Ten creates at once would then wait for each other. So it learns all queues before anybody asks.
 */
async function warmCache(boss: PgBoss): Promise<void> {
  for (const { name } of await boss.getQueues()) await boss.getJobById(name, randomUUID());
}

async function createLanes(boss: PgBoss): Promise<void> {
  for (const lane of lanes) {
    // Every lost heartbeat uses up a retry, so the limit is high; the task counts its own failures.
    await boss.createQueue(lane, {
      notify: true,
      heartbeatSeconds: 10,
      expireInSeconds: 23 * 3600,
      retentionSeconds: 14 * 24 * 3600,
      deleteAfterSeconds: 3600,
      retryLimit: 10_000,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 15,
    });
    // A database of an earlier release has it otherwise.
    if (!(await boss.getQueue(lane))?.notify) await boss.updateQueue(lane, { notify: true });
  }
}
