/**
 * Workers that are stopped (SIGSTOP) until others have taken their tasks, and then go on, write nothing. The database
 * itself keeps a record of who wrote what: every worker has a name of its own there, and a task belongs to the one that took
 * it last. Size: stops.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const { size: rounds, seed } = proofRun({ short: 1, long: 50, seed: 5 });

test(`${rounds} times SIGSTOP of a worker past its lease, takeover, SIGCONT: not one stale write is accepted`, async (t) => {
  const found = await proveNoStaleWrites({ rounds, seed });
  t.diagnostic(JSON.stringify(found));
  assert.ok(found.takeovers >= rounds, 'every stop led to a takeover');
});

interface StaleWrites {
  rounds: number;
  books: number;
  takeovers: number;
  writes: number;
  /** Refusals that a worker noticed after it woke up. */
  refused: number;
}

const leaseSeconds = 2;

const recorder = `
create table proof_writes (id bigserial primary key, task_id text not null, writer text not null, took boolean not null);
create function proof_record() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tasks' then
    -- Engine calls that were made are counted in every case, also by a worker that lost the task meanwhile.
    if to_jsonb(new) - 'sent_characters' = to_jsonb(old) - 'sent_characters' then return null; end if;
    insert into proof_writes (task_id, writer, took)
    values (new.id, current_setting('application_name'), new.attempt > old.attempt);
  else
    insert into proof_writes (task_id, writer, took) values (new.task_id, current_setting('application_name'), false);
  end if;
  return null;
end $$;
create trigger proof_record after update on tasks for each row execute function proof_record();
create trigger proof_record after insert on checkpoints for each row execute function proof_record();
create trigger proof_record after insert on task_outputs for each row execute function proof_record();`;

async function proveNoStaleWrites({ rounds, seed }: { rounds: number; seed: number }): Promise<StaleWrites> {
  const cluster = await startFaultCluster({
    env: { TOLEDO_WORKER_BOOKS: '2' },
    llm: { latencyMs: 150, perTokenMs: 0, seed },
    engine: { max_input_characters: 150, concurrency: 4 },
  });
  await cluster.pool.query(recorder);
  const named = (name: string) => {
    const url = new URL(cluster.databaseUrl);
    url.searchParams.set('application_name', name);
    return cluster.start('worker', { TOLEDO_DATABASE_URL: url.href });
  };
  const [api, ...workers] = await Promise.all([cluster.start('api'), named('worker-0'), named('worker-1')]);
  await cluster.setLeaseSeconds(leaseSeconds);
  const { key } = await cluster.account({ credits: 1_000_000_000 });

  let over = false;
  let books = 0;
  const keepTranslating = async (): Promise<void> => {
    while (!over) {
      const text = story(25_000, 1000 * seed + books++);
      const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', text };
      const { task_id } = (await create(api, key, fields)).body.data;
      const task = await untilEnded(api, key, task_id);
      assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
    }
  };
  // Each worker has room for both, so that what one loses the other takes at once.
  const translating = Promise.all([keepTranslating(), keepTranslating()]);
  const stopAndGo = async (): Promise<void> => {
    for (let round = 0, tried = 0; round < rounds; tried++)
      if (await stopOne(cluster, workers, tried, seed)) round += 1;
  };
  try {
    await Promise.race([stopAndGo(), translating]);
  } finally {
    over = true;
    for (const { child } of workers) child.kill('SIGCONT');
  }
  await translating;

  const { rows } = await cluster.pool.query<{ task_id: string; writer: string; took: boolean }>(
    'select task_id, writer, took from proof_writes order by id',
  );
  const holders = new Map<string, string>();
  const stale: string[] = [];
  let takeovers = 0;
  for (const { task_id, writer, took } of rows) {
    if (took) {
      if (holders.has(task_id) && holders.get(task_id) !== writer) takeovers += 1;
      holders.set(task_id, writer);
    } else if (holders.get(task_id) !== writer) stale.push(`${task_id} by ${writer}`);
  }
  assert.deepEqual(stale, [], 'writes of a worker that no longer held the task');
  const refused = workers.reduce(
    (sum, worker) => sum + [...worker.stderr().matchAll(/no longer held by this worker/g)].length,
    0,
  );
  return { rounds, books, takeovers, writes: rows.length, refused };
}

/** Stops a worker that holds tasks, waits until the other one has taken one and written, and lets the first go on. */
async function stopOne(
  { pool }: FaultCluster,
  workers: readonly Member[],
  round: number,
  seed: number,
): Promise<boolean> {
  const newest = async (condition: string, values: unknown[] = []) =>
    (await pool.query(`select max(id)::int as id from proof_writes where ${condition}`, values)).rows[0].id as number;
  const before = (await newest('true')) ?? 0;
  await eventually(async () => (await newest('not took')) > before, `writes in round ${round}`);
  await sleep(seeded(seed, 'moment', round) * 200);
  const { rows } = await pool.query<{ writer: string }>('select writer from proof_writes order by id desc limit 1');
  const victim = Number(/\d+$/.exec(rows[0]?.writer ?? '')?.[0] ?? 0);
  const name = `worker-${victim}`;
  workers[victim]?.child.kill('SIGSTOP');
  const stoppedAt = (await newest('true')) ?? 0;
  const held = await pool.query<{ task_id: string }>(
    `select task_id from proof_writes w join tasks t on t.id = w.task_id
     where took and t.status = 'pending' group by task_id having (array_agg(writer order by w.id desc))[1] = $1`,
    [name],
  );
  const tasks = held.rows.map((row) => row.task_id);
  try {
    // It may just have finished its books: then there is nothing to take over.
    if (tasks.length === 0) return false;
    const taken = () => newest('took and id > $1 and task_id = any($2)', [stoppedAt, tasks]);
    await eventually(async () => (await taken()) > 0, `takeover in round ${round}`);
    const since = await taken();
    const written = () => newest('not took and id > $1 and task_id = any($2)', [since, tasks]);
    await eventually(async () => (await written()) > 0, `writes after the takeover in round ${round}`);
    return true;
  } finally {
    workers[victim]?.child.kill('SIGCONT');
  }
}
