import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { updateAccount } from '../../src/accounts/account-store.ts';
import { sharedSimulatedEngine } from '../support/simulated-engine-app.ts';
import { create, creditsOf, run, until, untilEnded } from '../support/task-client.ts';

const { app, server } = await sharedSimulatedEngine({ seed: 3 });
const { pool } = app.application.database;
const lamps = Array.from(
  { length: 120 },
  (_, i) => `The ${i}th lamp of the quay burned over the bay while Marina counted ships and waited for her brother.`,
);
const order = {
  action: 'translation',
  target_lang: 'de',
  glossary: '{"Marina":"Marina"}',
  glossary_strategy: 'replace',
};

async function partnerWithPreview(text: string) {
  const { id, key } = await app.account({ credits: 100_000 });
  await updateAccount(app.application.database.db, id, { rateLimitPerMinute: undefined, creditPreviews: true });
  const preview = await run(app, key, { ...order, text, char_limit: 4_000 });
  assert.equal(preview.credits_charged, 4_000);
  return { key, text };
}

/** A full run that has taken the preview over and then waits for an engine that does not answer. */
async function interrupted({ key, text }: { key: string; text: string }): Promise<string> {
  server.configure({ outage: 'spend-limit' });
  const { body } = await create(app, key, { ...order, text });
  const taskId = body.data.task_id;
  await until(app, key, taskId, (task) => task.progress > 0.05);
  for (;;) {
    const { rows } = await pool.query('select job_id, attempt from tasks where id = $1', [taskId]);
    const { rows: jobs } = await pool.query(`select state from pgboss.job where id = $1`, [rows[0].job_id]);
    if (rows[0].attempt > 0 && jobs[0]?.state === 'created') return taskId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('what a preview has paid for is credited whether the full run is interrupted or not', async () => {
  const partner = await partnerWithPreview(lamps.join('\n'));
  const undisturbed = await run(app, partner.key, { ...order, text: partner.text });
  assert.ok(undisturbed.credits_charged < undisturbed.char_count, JSON.stringify(undisturbed));

  const other = await partnerWithPreview(partner.text);
  const taskId = await interrupted(other);
  server.configure({ outage: undefined });
  await pool.query(`update pgboss.job set start_after = now() where state = 'created'`);
  const resumed = await untilEnded(app, other.key, taskId);
  assert.equal(resumed.status, 'completed');
  assert.equal(resumed.credits_charged, undisturbed.credits_charged);
});

test('what a preview has paid for is credited also where its words come from an earlier full run', async () => {
  const text = lamps.slice(0, 60).join('\n');
  const { key } = await partnerWithPreview(lamps.slice(60).join('\n'));
  const first = await run(app, key, { ...order, text });
  assert.equal(first.credits_charged, text.length);
  const preview = await run(app, key, { ...order, text, char_limit: 4_000 });
  assert.equal(preview.credits_charged, 4_000);
  const again = await run(app, key, { ...order, text });
  const wholeLamps = text.slice(0, 4_000).lastIndexOf('\n');
  assert.ok(again.credits_charged <= text.length - wholeLamps, JSON.stringify(again));
  assert.ok(again.credits_charged >= text.length - 4_000);
});

test('cancelling does not charge again what a preview has paid for', async () => {
  const partner = await partnerWithPreview(lamps.toReversed().join('\n'));
  const taskId = await interrupted(partner);
  const before = await creditsOf(app, partner.key);
  const { body } = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key: partner.key });
  server.configure({ outage: undefined });
  assert.equal(body.data.credits_charged, 0);
  assert.equal((await creditsOf(app, partner.key)).used, before.used);
});

test('glossary_extraction with replace asks no engine and costs nothing, also with an empty balance', async () => {
  const { key } = await app.account({ credits: 0 });
  const calls = server.log.calls.length;
  const { status, body, text } = await create(app, key, {
    ...order,
    action: 'glossary_extraction',
    char_limit: 500,
    text: lamps.join('\n'),
  });
  assert.equal(status, 201, text);
  assert.deepEqual([body.data.status, body.data.credits_charged], ['completed', 0]);
  assert.deepEqual(
    body.data.terms.map((term: { target: string }) => term.target),
    ['Marina'],
  );
  assert.equal(server.log.calls.length, calls);
});

for (const fault of ['bad-json', 'refusal', 'empty'] as const) {
  test(`an extraction to which every answer is "${fault}" fails and costs nothing`, async () => {
    const { key } = await app.account({ credits: 100_000 });
    server.configure({ outage: fault });
    try {
      const task = await run(app, key, { action: 'glossary_extraction', target_lang: 'de', text: lamps.join('\n') });
      assert.deepEqual([task.status, task.error.code, task.credits_charged], ['failed', 'EXTRACTION_FAILED', 0]);
    } finally {
      server.configure({ outage: undefined });
    }
  });
}

test('an extraction that could read only a part charges that part and says so', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const chapters = Array.from({ length: 12 }, (_, c) => lamps.map((lamp) => `${c}: ${lamp}`).join('\n')).join('\n\n');
  server.configure({ seed: 5, faultRate: 0.3, faults: ['empty'] });
  try {
    const task = await run(app, key, { action: 'glossary_extraction', target_lang: 'de', text: chapters });
    assert.equal(task.status, 'completed', JSON.stringify(task.error));
    assert.deepEqual(
      task.warnings.map((warning: { code: string }) => warning.code),
      ['EXTRACTION_INCOMPLETE'],
    );
    assert.ok(
      task.credits_charged > 0 && task.credits_charged < task.char_count,
      `${task.credits_charged} of ${task.char_count}`,
    );
  } finally {
    server.configure({ faultRate: 0, faults: [] });
  }
});

test('a cancelled extraction charges what was read by then, and no more', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const chapters = Array.from({ length: 12 }, (_, c) => lamps.map((lamp) => `${c}! ${lamp}`).join('\n')).join('\n\n');
  server.configure({ script: ['ok', 'ok', ...Array(100).fill('hang-before')] });
  try {
    const created = await create(app, key, { action: 'glossary_extraction', target_lang: 'de', text: chapters });
    const taskId = created.body.data.task_id;
    const read = async (): Promise<number> =>
      (await pool.query(`select coalesce(sum(characters), 0)::int as n from checkpoints where task_id = $1`, [taskId]))
        .rows[0].n;
    while ((await read()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const { body } = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
    assert.equal(body.data.status, 'cancelled');
    assert.equal(body.data.credits_charged, await read());
    assert.ok(body.data.credits_charged > 0 && body.data.credits_charged < body.data.char_count);
  } finally {
    server.configure({ script: [] });
  }
});
