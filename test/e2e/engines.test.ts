import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { updateAccount } from '../../src/accounts/account-store.ts';
import { blocksOf } from '../../src/documents/document.ts';
import { readDocument } from '../documents/read-and-write.ts';
import { sampleEpub3 } from '../documents/sample-books.ts';
import { startSimulatedLlm } from '../support/simulated-llm/server.ts';
import { untilEnded } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { eventually } from '../support/workers.ts';

const server = await startSimulatedLlm({ timeScale: 0.01, capacity: 16, seed: 7 });
after(() => server.stop());

/** Each kind translates into a language of its own, so that one application has them all. */
const targets = { 'openai-compatible': 'fr', openai: 'de', anthropic: 'it', google: 'pt' };
const folder = await mkdtemp(join(tmpdir(), 'toledo-engines-'));
after(() => rm(folder, { recursive: true, force: true }));
const enginesFile = join(folder, 'engines.json');
const engines = Object.entries(targets).map(([kind, target]) => ({
  ...{ name: kind, kind, base_url: server.url, api_key: 'sk-simulated', model: 'simulated', concurrency: 16 },
  target_languages: [target],
}));
await writeFile(enginesFile, JSON.stringify({ engines }));
const everyKind = await startTestApp({ env: { TOLEDO_ENGINE: '', TOLEDO_ENGINES: enginesFile } });
const oneEngine = await startTestApp({
  env: {
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: server.url,
    TOLEDO_ENGINE_API_KEY: 'sk-simulated',
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_ENGINE_CONCURRENCY: '16',
  },
});

async function file(app: TestApp, key: string, taskId: string, fileId = 'translated'): Promise<Uint8Array> {
  const { body } = await app.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key });
  return new Uint8Array(await (await fetch(body.data.download_url)).arrayBuffer());
}

function form(fields: Record<string, string>, book?: Uint8Array): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  if (book) data.set('file', new Blob([book as Uint8Array<ArrayBuffer>]), 'El faro.epub');
  return data;
}

for (const [kind, target_lang] of Object.entries(targets)) {
  test(`an EPUB goes in and comes out through the whole API with the engine kind ${kind}`, async () => {
    const app = everyKind;
    const { key } = await app.account({ credits: 100_000 });
    const source = sampleEpub3();
    const created = await app.call('POST', '/api/v1/tasks', {
      key,
      body: form({ action: 'translation', target_lang, estimated_chars: '20000' }, source),
    });
    assert.equal(created.status, 201, created.text);
    const task = await untilEnded(app, key, created.body.data.task_id);
    assert.equal(task.status, 'completed', JSON.stringify(task.error));
    assert.equal(task.credits_charged, task.char_count);
    assert.equal(task.coverage.total, task.coverage.translated + task.coverage.kept + task.coverage.failed);
    assert.equal(task.coverage.failed, 0);

    const before = readDocument(source).document;
    const translated = readDocument(await file(app, key, task.task_id)).document;
    assert.equal(translated.declaredLanguage, target_lang);
    // Labels apart: the title on the shelf names the language and the one inside does not, so the translation has one more.
    const prose = (document: typeof before) => blocksOf(document).filter((block) => block.kind !== 'label');
    assert.equal(prose(translated).length, prose(before).length, 'every block of the book is there');
    assert.equal(translated.imageCount, before.imageCount);
    const unchanged = prose(before).filter(
      (block, i) => block.characters > 40 && prose(translated)[i]?.text === block.text,
    );
    assert.deepEqual(
      unchanged.map((block) => block.text),
      [],
      'no paragraph stayed in the source language',
    );
    const report = JSON.parse(Buffer.from(await file(app, key, task.task_id, 'report')).toString());
    assert.equal(report.coverage.total, task.char_count);
    assert.match(Buffer.from(await file(app, key, task.task_id, 'glossary')).toString(), /^source,target/);
    assert.ok((await file(app, key, task.task_id, 'bilingual')).length > 1000);
    assert.ok(!JSON.stringify(task).includes('simulated'), 'no model name in the API');
  });
}

test('a full run takes the preview over word for word, and an account may have paid characters credited', async () => {
  const app = oneEngine;
  const { id, key } = await app.account({ credits: 100_000 });
  const { db } = app.application.database;
  const paragraphs = Array.from(
    { length: 120 },
    (_, i) =>
      `The ${i}th lamp of the lighthouse burned over the bay while Marina counted ships and waited for her brother.`,
  );
  const text = paragraphs.join('\n');
  const fields = { target_lang: 'de', text, glossary: '{"Marina":"Marina"}', glossary_strategy: 'replace' };
  const run = async (extra: Record<string, string>) => {
    const { body } = await app.call('POST', '/api/v1/tasks', {
      key,
      body: form({ action: 'translation', ...fields, ...extra }),
    });
    return await untilEnded(app, key, body.data.task_id);
  };
  const preview = await run({ char_limit: '4000' });
  const full = await run({});
  const shown = Buffer.from(await file(app, key, preview.task_id)).toString();
  const whole = Buffer.from(await file(app, key, full.task_id)).toString();
  assert.ok(whole.startsWith(shown.slice(0, 2500)), 'the opening is the preview, word for word');
  assert.equal(full.credits_charged, full.char_count, 'charged as specified by default');

  await updateAccount(db, id, { rateLimitPerMinute: undefined, creditPreviews: true });
  await sql`delete from checkpoints where task_id = ${full.task_id}`.execute(db);
  const credited = await run({});
  assert.ok(credited.credits_charged < credited.char_count, 'characters paid in the preview are credited');
  assert.ok(credited.credits_charged >= credited.char_count - preview.credits_charged);
});

test('an outage leaves the task pending at no cost, and it goes on by itself when the engine is back', async () => {
  const app = oneEngine;
  const { key } = await app.account({ credits: 10_000 });
  server.configure({ outage: 'server-503' });
  try {
    const { body } = await app.call('POST', '/api/v1/tasks', {
      key,
      body: form({ action: 'translation', target_lang: 'fr', text: 'The lighthouse keeper slept. The sea did not.' }),
    });
    await eventually(async () => server.log.calls.some(({ fault }) => fault !== undefined), 'a refused call');
    const waiting = (await app.call('GET', `/api/v1/tasks/${body.data.task_id}`, { key })).body.data;
    assert.equal(waiting.status, 'pending');
    server.configure({ outage: undefined });
    const task = await untilEnded(app, key, body.data.task_id);
    assert.equal(task.status, 'completed');
    assert.equal(task.credits_charged, task.char_count);
  } finally {
    server.configure({ outage: undefined });
  }
});
