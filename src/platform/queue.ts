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
import { onNobodysBehalf } from './fair-pool.ts';
import type { Log } from './log.ts';
import type { Pool, Trx } from './postgres.ts';
import { openQueueClient } from './queue-client.ts';
import { createDeliveryQueue, type DeliveryQueue, deliveryQueue } from './queue-deliveries.ts';
import { Together } from './together.ts';

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

/** The job engine's own `insert`: its text around its one parameter, which is a list of jobs in JSON; the same for a whole lane. */
export interface JobInsertion {
  before: string;
  /** One job, whose `priority` is still to be set: minus the tasks ahead of it. */
  job: Record<string, unknown>;
  after: string;
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

export interface JobQueue extends DeliveryQueue {
  /** Returns the job's id. A worker finds it within a second. */
  enqueue(trx: Trx, task: QueuedTask): Promise<string>;
  /** For a statement that enqueues and does more. */
  insertion(task: Required<Pick<QueuedTask, 'taskId' | 'accountId' | 'lane' | 'jobId'>>): Promise<JobInsertion>;
  /** After the commit: a worker looks at once. */
  announce(lane: Lane): void;
  cancel(trx: Trx, lane: Lane, jobId: string): Promise<void>;
  /** Starts taking jobs. If a handler throws, its job is retried. */
  work(slots: Record<Lane, number>, handler: (job: RunningJob) => Promise<void>): Promise<void>;
  /** Waiting and running jobs by lane. */
  depth(): Promise<Record<Lane, { waiting: number; running: number; oldestSeconds: number }>>;
  /** By lane, a value that changes as long as its slots look for work or are all at work. */
  signs(): Record<Lane, number>;
  stop(): Promise<void>;
}

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

/** Passed through to the driver, as in postgres.ts: a dead connection must not stop a worker for ever. */
const silentLine = { query_timeout: 15_000 };

export async function openQueue({ pool, databaseUrl, works, log }: QueueOptions): Promise<JobQueue> {
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

  const announce = announcer(pool);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const handle = async (
    lane: Lane,
    job: JobWithMetadata<JobData>,
    handler: (job: RunningJob) => Promise<void>,
  ): Promise<void> => {
    const run = handler({
      taskId: job.data.task,
      ahead: -job.priority,
      signal: AbortSignal.any([job.signal, stopping.signal]),
      complete: async (trx) => void (await boss.complete(lane, job, null, { db: fromKysely(trx) })),
    });
    const settled = run.catch(() => {});
    running.add(settled);
    try {
      await run;
    } finally {
      running.delete(settled);
    }
  };

  return {
    ...deliveryQueue(boss),
    announce,
    async enqueue(trx, task) {
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
    async insertion({ taskId, accountId, lane, jobId: id }) {
      const { promise, resolve } = Promise.withResolvers<JobInsertion>();
      const listening = {
        async executeSql(text: string, values: unknown[] = []) {
          const [before = '', after = '', ...more] = text.split('$1');
          if (more.length > 0 || values.length !== 1) throw new Error('the job engine enqueues in another way');
          const [job] = JSON.parse(String(values[0])) as Record<string, unknown>[];
          resolve({ before, job: job ?? {}, after });
          return { rows: [{ id }] };
        },
      };
      await boss.send(lane, { task: taskId } satisfies JobData, { id, group: { id: accountId }, db: listening });
      return await promise;
    },
    async cancel(trx, lane, jobId) {
      await boss.cancel(lane, jobId, { db: fromKysely(trx) });
    },
    async work(slots, handler) {
      const options = {
        pollingIntervalSeconds: 1,
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
            // There may be more than the one that somebody was woken for.
            wakeIdle(boss, lane);
            if (job) await handle(lane, job, handler);
          } finally {
            // Whoever ends a job looks for the next one at once instead of sleeping first.
            for (const worker of boss.getWipData())
              if (worker.name === lane && worker.count > 0) boss.notifyWorker(worker.id);
          }
        });
      }
    },
    async depth() {
      const { rows } = await pool.query<{ name: Lane; waiting: number; running: number; oldest: number }>(
        `select name, count(*) filter (where state in ('created', 'retry'))::int as waiting, count(*) filter (where state = 'active')::int as running,
           coalesce(extract(epoch from now() - min(created_on) filter (where state in ('created', 'retry'))), 0)::float8 as oldest
         from pgboss.job where name in ('short', 'book') and state < 'completed' group by name`,
      );
      const none = { waiting: 0, running: 0, oldestSeconds: 0 };
      const found = new Map(
        rows.map((row) => [row.name, { waiting: row.waiting, running: row.running, oldestSeconds: row.oldest }]),
      );
      return { short: found.get('short') ?? none, book: found.get('book') ?? none };
    },
    signs() {
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
  boss.on('error', (err) => log.warn({ err }, 'queue'));
  wakeOneAtATime(boss);
  return boss;
}

const channel = 'toledo_jobs';

/**
 * Not in the transaction of the job, as the job engine would do it: a transaction that notifies holds a lock of the whole
 * server until it is on the disk, so that creates would be committed one after another. Whoever announces while another
 * announcement is under way shares the next one.
 */
function announcer(pool: Pool): (lane: Lane) => void {
  const lines = new Map<Lane, Together<void, void>>();
  const announceTogether = (lane: Lane) =>
    new Together<void, void>(async (jobs) => {
      await onNobodysBehalf(() => pool.query('select pg_notify($1, $2)', [channel, lane]));
      return jobs;
    });
  return (lane) => {
    const line = lines.get(lane) ?? announceTogether(lane);
    lines.set(lane, line);
    // Whoever does not hear of it looks within a second.
    line.ask().catch(() => {});
  };
}

/**
 * A new job wakes one idle slot of its lane, and each slot that finds a job wakes the next. The job engine would wake all
 * of them: eight statements for one short task, on the machine that is to run it.
 */
function wakeOneAtATime(boss: PgBoss): void {
  const db = boss.getDb();
  const listen = db.listen?.bind(db);
  const wakeLanes = (): void => {
    for (const lane of lanes) wakeIdle(boss, lane);
  };
  if (listen) db.listen = () => listen(channel, (lane) => wakeIdle(boss, lane), wakeLanes);
}

/** One that is fetching just now looks again if it finds nothing, and wakes the next if it finds a job. */
function wakeIdle(boss: PgBoss, lane: string): void {
  const idle = boss.getWipData().find(({ name, count }) => name === lane && count === 0);
  if (idle) boss.notifyWorker(idle.id);
}

/**
 * The job engine remembers its queues, and asks for one that it does not know while a create holds a connection of the
 * same pool: ten creates at once would then wait for each other. So it learns all of them before anybody asks.
 */
async function warmCache(boss: PgBoss): Promise<void> {
  for (const { name } of await boss.getQueues()) await boss.getJobById(name, randomUUID());
}

async function createLanes(boss: PgBoss): Promise<void> {
  for (const lane of lanes) {
    // Every lost heartbeat uses up a retry, so the limit is high; the task counts its own failures.
    await boss.createQueue(lane, {
      notify: false,
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
    if ((await boss.getQueue(lane))?.notify) await boss.updateQueue(lane, { notify: false });
  }
}
