import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { languageSamples } from '../language/language-samples.ts';
import { creditsOf, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { en = '', es = '' } = languageSamples;
const actions = ['translation', 'preview_translation', 'glossary_extraction', 'token_estimate', 'preview_metadata'];

/** A licence as libraries put it before a book, longer than the book's beginning. */
const licence = Array.from(
  { length: 60 },
  (_, i) =>
    `Clause ${i + 1}. You may copy this file and give it away under the terms of the licence that comes with it.`,
);
const novel = Array.from({ length: 30 }, (_, i) => `Capítulo ${i + 1}. ${es}`);

const codes = (task: { warnings?: { code: string }[] }) => (task.warnings ?? []).map(({ code }) => code);

test('a Spanish novel behind a long English licence is Spanish to every action, also when only its beginning is taken', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const text = [...licence, ...novel].join('\n\n');
  for (const action of actions) {
    const task = await run(app, key, { action, target_lang: 'en', text, char_limit: 600 });
    assert.equal(task.status, 'completed', JSON.stringify(task));
    assert.deepEqual([task.source_lang, codes(task)], ['es', []], action);
    if (task.detected_language !== undefined) assert.equal(task.detected_language, 'es');
  }
});

test('a book that is in the target language already stops before translating, costs nothing and says so', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const before = await creditsOf(app, key);
  const text = Array.from({ length: 5 }, (_, i) => `Part ${i + 1}. ${en}`).join('\n\n');
  for (const action of ['translation', 'preview_translation', 'glossary_extraction']) {
    const task = await run(app, key, { action, target_lang: 'en-GB', text });
    assert.deepEqual([task.status, task.error?.code, task.error?.retryable], ['failed', 'SAME_LANGUAGE', false]);
    assert.deepEqual([task.credits_charged, codes(task)], [0, ['SAME_LANGUAGE']]);
  }
  assert.deepEqual(await creditsOf(app, key), before);
});

test('a declared source language wins, and a text that contradicts it is a warning', async () => {
  const { key } = await app.account({ credits: 100_000 });
  for (const action of actions) {
    const task = await run(app, key, { action, source_lang: 'fr', target_lang: 'en', text: en.repeat(3) });
    assert.equal(task.status, 'completed', JSON.stringify(task));
    assert.ok(codes(task).includes('SOURCE_LANGUAGE_DIFFERS'), `${action}: ${JSON.stringify(task)}`);
  }
});

test('a text that is half in the target language is translated with a warning at most', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const task = await run(app, key, { action: 'translation', target_lang: 'en', text: `${en}\n\n${es}\n\n${en}` });
  assert.equal(task.status, 'completed', JSON.stringify(task));
});

test('a few words are recognised, or the answer is und and a warning that asks for source_lang', async () => {
  const { key } = await app.account();
  const detected: Record<string, string> = {
    'Hello world': 'en',
    hola: 'es',
    'Bonjour le monde': 'fr',
    'Hallo Welt': 'de',
    Здравствуйте: 'ru',
    こんにちは: 'ja',
    'Γειά σου': 'el',
    'Anna Karenina': 'und',
    Xyzzy: 'und',
  };
  for (const [text, code] of Object.entries(detected)) {
    const task = await run(app, key, { action: 'token_estimate', text });
    assert.equal(task.detected_language, code, text);
    assert.deepEqual(codes(task), code === 'und' ? ['SOURCE_LANGUAGE_UNCERTAIN'] : [], text);
  }
});
