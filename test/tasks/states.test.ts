/** The table of states is what the database holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Status, stages, states, statuses } from '../../src/tasks/states.ts';
import { create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { pool } = app.application.database;

/** One change after another in a transaction that is rolled back; resolves to the constraint that refuses the last one. */
async function refusalOf(...changes: [status: string, stage: string][]): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const [i, [status, stage]] of changes.entries()) {
      const change = client.query(
        `update tasks set status = $2::text, stage = $3, progress = case when $2::text = 'completed' then 1 else progress end,
           ended_at = case when $2::text = 'pending' then null else now() end, credits_charged = case when $2::text = 'pending' then null else 0 end,
           error_code = case when $2::text = 'failed' then 'INTERNAL' end
         where id = $1`,
        [taskId, status, stage],
      );
      if (i < changes.length - 1) await change;
      else
        return await change.then(
          () => undefined,
          (error: { constraint?: string }) => error.constraint ?? 'a fault without a name',
        );
    }
    return undefined;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const { key } = await app.account({ credits: 1_000 });
const created = await create(app, key, { action: 'translation', target_lang: 'de', text: 'The lamp was out.' });
const taskId = created.body.data.task_id;

test('every status has the stages of the table and no other', async () => {
  for (const status of statuses) {
    for (const stage of stages) {
      const fits = (states[status].stages as readonly string[]).includes(stage);
      assert.equal(
        await refusalOf([status, stage]),
        fits ? undefined : 'tasks_stage_fits_status',
        `${status} ${stage}`,
      );
    }
  }
  assert.match((await refusalOf(['paused', 'queued'])) ?? '', /^tasks_(status_known|stage_fits_status)$/);
});

test('a task goes from state to state as in the table and in no other way', async () => {
  const last = (status: Status) => states[status].stages[0];
  for (const from of statuses) {
    for (const to of statuses) {
      if (from === to) continue;
      const isAllowed = (states[from].next as readonly Status[]).includes(to);
      const refusal = await refusalOf([from, last(from)], [to, last(to)]);
      assert.equal(refusal, isAllowed ? undefined : 'tasks_end_final', `${from} to ${to}`);
    }
  }
});
