/** The built-in engine gives the same bytes for the same book, in any company, and hostile text ends within bounds. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from '../support/test-app.ts';

/** As a bare machine starts: no engine is named. */
const app = await startTestApp({ env: { TOLEDO_ENGINE: '' } });
const { key } = await app.account({ credits: 1_000_000 });

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

async function create(fields: Record<string, string>, as = key) {
  return await app.call('POST', '/api/v1/tasks', { key: as, body: form({ action: 'translation', ...fields }) });
}

async function ended(taskId: string, as = key) {
  for (;;) {
    const { body } = await app.call('GET', `/api/v1/tasks/${taskId}`, { key: as });
    if (body.data.status !== 'pending') return body.data;
    await sleep(100);
  }
}

async function translated(fields: Record<string, string>, as = key) {
  const created = await create({ target_lang: 'en', ...fields }, as);
  assert.equal(created.status, 201, created.text);
  const task = await ended(created.body.data.task_id, as);
  const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key: as });
  return { task, text: await (await fetch(body.data.download_url)).text() };
}

const englishPage = [
  'CHAPTER II. THE LETTER',
  '“Is anybody there?” asked Hannah. “I have seen the light of Elmstead from the road.”',
  'Nobody answered. Hannah set the lamp on the table of the mill and opened the letter of her brother Tom.',
  'II',
  'Tom had written only one word, and it was _Elmstead_.',
].join('\n\n');

test('the same book gives the same bytes alone, beside another book, and from an account that has translated parts of it', async () => {
  const fields = { source_lang: 'en', target_lang: 'fr', text: englishPage };
  const [alone, other] = await Promise.all([app.account({ credits: 10_000 }), app.account({ credits: 10_000 })]);
  const { text } = await translated(fields, alone.key);
  const paragraphs = englishPage.split('\n\n');
  // A past: two of its paragraphs, in other company.
  await translated(
    { ...fields, text: [paragraphs[4], 'The wind blew all day.', paragraphs[1]].join('\n\n') },
    other.key,
  );
  const [again] = await Promise.all([
    translated(fields, other.key),
    translated({ ...fields, target_lang: 'es', text: `${englishPage}\n\nThe wind blew all day.` }, alone.key),
  ]);
  assert.equal(again.text, text);
});

test('hostile text ends within bounds: one endless word, emoji, control characters, unknown scripts', async () => {
  for (const text of [
    'a'.repeat(400_000),
    `${'🎉'.repeat(2_000)} bonjour`,
    `Bonjour\u0001\u0002\u0003 ${'\u0301'.repeat(500)} dit-elle.`,
    `${'雨が降る。'.repeat(100)}\n\nIl pleut.`,
    `<1></2>${'<9/>'.repeat(300)} Bonjour.`,
  ]) {
    const created = await create({ source_lang: 'fr', target_lang: 'en', text });
    assert.equal(created.status, 201, created.text);
    const task = await ended(created.body.data.task_id);
    assert.ok(['completed', 'failed'].includes(task.status));
    if (task.status === 'failed') assert.equal(task.credits_charged, 0);
  }
});
