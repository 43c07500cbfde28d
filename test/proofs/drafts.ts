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

test('an English page comes out in French and in Spanish as these languages are printed, with its names', async () => {
  const french = await translated({ source_lang: 'en', target_lang: 'fr', text: englishPage });
  assert.equal(french.task.quality, 'draft', JSON.stringify(french.task.error));
  const [title, speech, , numeral, last] = french.text.trim().split(/\r?\n\s*\n/);
  assert.match(title ?? '', /^CHAPITRE II\. \p{Lu}/u);
  assert.match(speech ?? '', /^—\u00a0\p{Lu}.*\u202f\?/u);
  assert.equal(numeral, 'II');
  assert.match(last ?? '', /_Elmstead_/);
  for (const name of ['Hannah', 'Elmstead', 'Tom']) assert.match(french.text, new RegExp(name));
  assert.doesNotMatch(french.text, /["“”']/);
  const spanish = await translated({ source_lang: 'en', target_lang: 'es', text: englishPage });
  assert.match(spanish.text, /^CAPÍTULO II\. \p{Lu}/u);
  assert.match(spanish.text, /\n—¿/);
  assert.doesNotMatch(spanish.text, /["“”']|(?<!\p{L})[áó](?!\p{L})/u);
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
