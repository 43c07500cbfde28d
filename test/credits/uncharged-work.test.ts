import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWithSettings } from '../support/simulated-engine-app.ts';
import { create, run } from '../support/task-client.ts';

const limit = 40_000;
const settings = { TOLEDO_UNCHARGED_CHARACTERS_PER_DAY: String(limit) };
const { app, servers } = await startWithSettings(settings, { seed: 3 });
const [server] = servers;
assert.ok(server);
const { pool } = app.application.database;
const paragraphs = Array.from(
  { length: 600 },
  (_, i) =>
    `The ${i}th lamp of the quay burned over the bay while the keeper counted ships and waited for his brother.`,
);
const text = paragraphs.join('\n');
const order = {
  action: 'translation',
  target_lang: 'en',
  glossary: '{"quay":"quay"}',
  glossary_strategy: 'replace',
};

const uncharged = async (accountId: string): Promise<number> =>
  (
    await pool.query<{ n: number }>(
      'select coalesce(sum(characters), 0)::int as n from uncharged_work where account_id = $1',
      [accountId],
    )
  ).rows[0]?.n ?? 0;

test('a text declared as another language, so that every answer is an echo, ends after few calls, uncharged and with its warning', async () => {
  const { id, key } = await app.account({ credits: 1_000_000 });
  server.configure({ outage: 'echo' });
  const before = server.log.calls.length;
  try {
    const task = await run(app, key, { ...order, source_lang: 'fr', text });
    assert.deepEqual([task.status, task.error.code, task.credits_charged], ['failed', 'TRANSLATION_INCOMPLETE', 0]);
    assert.ok(task.warnings.some(({ code }: { code: string }) => code === 'SOURCE_LANGUAGE_DIFFERS'));
    const calls = server.log.calls.slice(before);
    const sent = calls.reduce((sum, call) => sum + call.sourceCharacters, 0);
    // Two for each of the segments in flight when the book became hopeless; the whole ladder takes more than a thousand.
    assert.ok(calls.length <= 4 * 24, `${calls.length} calls`);
    assert.ok(sent < 2 * text.length, `${sent} characters sent for ${text.length}`);
    assert.ok((await uncharged(id)) > 0);
  } finally {
    server.configure({ outage: undefined });
  }
});

test('past the limit of uncharged work a day, creates of that account are refused, free actions and replays are not, and other accounts notice nothing', async () => {
  const [wasteful, other] = await Promise.all([app.account({ credits: 1e6 }), app.account({ credits: 1e6 })]);
  const idempotencyKey = 'the last one';
  const small = { ...order, target_lang: 'de', text: paragraphs.slice(0, 3).join('\n') };
  assert.equal((await create(app, wasteful.key, small, { idempotencyKey })).status, 201);
  server.configure({ outage: 'echo' });
  try {
    for (let tries = 0; tries < 10 && (await uncharged(wasteful.id)) <= limit; tries++) {
      const task = await run(app, wasteful.key, { ...order, source_lang: 'fr', text: `${tries}\n${text}` });
      assert.equal(task.status, 'failed');
    }
  } finally {
    server.configure({ outage: undefined });
  }
  for (const action of ['translation', 'preview_translation', 'glossary_extraction']) {
    const refused = await create(app, wasteful.key, { ...small, action });
    assert.equal(refused.status, 429, refused.text);
    const { code, details } = refused.body.error;
    assert.deepEqual([code, details.reason, details.limit_characters], ['RATE_LIMITED', 'UNCHARGED_WORK', limit]);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 86_400, `${seconds}`);
  }
  assert.equal((await create(app, wasteful.key, { action: 'token_estimate', text: small.text })).status, 201);
  const replayed = await create(app, wasteful.key, small, { idempotencyKey });
  assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true']);
  assert.equal((await run(app, other.key, small)).status, 'completed');
  await pool.query(`update uncharged_work set day = day - 1 where account_id = $1`, [wasteful.id]);
  assert.equal((await run(app, wasteful.key, small)).status, 'completed', 'the next day');
});

test('what engines were sent for a cancelled task counts, also what they had not answered, without what the task was charged', async () => {
  const { id, key } = await app.account({ credits: 1_000_000 });
  server.configure({ script: ['ok', 'ok', ...Array(100).fill('hang-before')] });
  try {
    const created = await create(app, key, { ...order, target_lang: 'de', text });
    const taskId = created.body.data.task_id;
    while (server.log.calls.filter((call) => call.fault === 'hang-before').length === 0) await sleep(20);
    const { body } = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
    const charged: number = body.data.credits_charged;
    while ((await uncharged(id)) === 0) await sleep(20);
    assert.ok((await uncharged(id)) <= text.length - charged, `${await uncharged(id)} uncharged, ${charged} charged`);
  } finally {
    server.configure({ script: [] });
  }
});
