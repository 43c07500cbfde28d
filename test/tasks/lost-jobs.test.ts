import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { openQueue } from '../../src/platform/queue.ts';
import { claimChore } from '../../src/tasks/chore-store.ts';
import { reconcileTasks } from '../../src/tasks/requeue-task.ts';
import { create, creditsOf, poll, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

const idle = await startTestApp({ own: true, role: 'api' });
const { db, pool } = idle.application.database;
const log = createLog('silent');
const env = { TOLEDO_DATA_DIR: idle.dataDir, TOLEDO_DATABASE_URL: idle.databaseUrl };
const order = { action: 'translation', target_lang: 'de', text: 'The lamp was out.' };

async function jobless(): Promise<{ key: string; taskId: string }> {
  const { key } = await idle.account({ credits: 1_000 });
  const taskId = (await create(idle, key, order)).body.data.task_id;
  await pool.query('delete from pgboss.job where id = (select job_id from tasks where id = $1)', [taskId]);
  return { key, taskId };
}

test('a task whose job is gone gets a new one and completes; one whose job is waiting is left alone', async () => {
  const { key, taskId } = await jobless();
  const waiting = (await create(idle, key, order)).body.data.task_id;
  const queue = await openQueue({ pool, databaseUrl: idle.databaseUrl, works: false, log });
  assert.equal(await reconcileTasks({ db, queue, log }), 1);
  assert.equal(await reconcileTasks({ db, queue, log }), 0);
  await queue.stop();
  const worker = await startTestApp({ beside: idle });
  for (const id of [taskId, waiting]) assert.equal((await untilEnded(worker, key, id)).status, 'completed');
  await worker.application.stop();
});

test('task requeue gives a task a new job, task cancel ends one and releases its hold; neither changes a task that has ended', async () => {
  const { key, taskId } = await jobless();
  const requeued = await toledo(['task', 'requeue', taskId, '--json'], env);
  assert.equal(requeued.code, 0, requeued.stderr);
  const { rows } = await pool.query('select state from pgboss.job where id = $1', [JSON.parse(requeued.stdout).job_id]);
  assert.deepEqual(rows, [{ state: 'created' }]);

  const cancelled = await toledo(['task', 'cancel', taskId, '--json'], env);
  assert.deepEqual(JSON.parse(cancelled.stdout), { task_id: taskId, status: 'cancelled', credits_charged: 0 });
  assert.deepEqual(await creditsOf(idle, key), { balance: 1_000, reserved: 0, used: 0 });
  assert.equal((await poll(idle, key, taskId)).body.data.status, 'cancelled');
  for (const command of ['cancel', 'requeue']) {
    const again = await toledo(['task', command, taskId], env);
    assert.deepEqual([again.code, again.stderr.trim()], [1, 'toledo: The task has ended: it is cancelled.']);
  }
});

test('a chore is done by one process of all in each interval', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimChore(db, 'sweep the yard', 60_000)));
  assert.equal(claims.filter(Boolean).length, 1);
  assert.equal(await claimChore(db, 'sweep the yard', 60_000), false);
  await pool.query(`update chores set next_at = now() where name = 'sweep the yard'`);
  assert.equal(await claimChore(db, 'sweep the yard', 60_000), true);
});
