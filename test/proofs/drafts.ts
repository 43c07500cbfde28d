/** The built-in engine gives the same bytes for the same book, in any company, and hostile text ends within bounds. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { englishPage, startDraftApp } from '../support/draft-app.ts';

const { app, create, ended, translated } = await startDraftApp();

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
