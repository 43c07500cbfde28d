import { strict as assert } from 'node:assert';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { form, startDraftApp } from '../support/draft-app.ts';
import { startTestApp } from '../support/test-app.ts';

const { app, id, key, create, ended, translated } = await startDraftApp();
const testKey = (await app.newKey(id, 'test')).key;

const servedDrafts = [
  { source: ['de', 'es', 'fr', 'it', 'pt', 'ru'], target: ['en'], quality: 'draft' },
  { source: ['en'], target: ['es', 'fr'], quality: 'draft' },
];

const page = [
  '— Il y a quelqu’un ? demanda Camille.',
  'Personne ne répondit. Camille posa la lampe sur la table et ouvrit la lettre de son frère Antoine.',
  'Sous la roue, sous la pierre',
].join('\n\n');

test('without any setting a French page comes out in English, named a draft, and the same each time', async () => {
  const { task, text } = await translated({ source_lang: 'fr', text: page });
  assert.equal(task.status, 'completed', JSON.stringify(task.error));
  assert.equal(task.quality, 'draft');
  assert.ok(task.warnings.some(({ code }: { code: string }) => code === 'DRAFT_ENGINE'));
  assert.equal(text.trim().split(/\n\s*\n/).length, 3);
  assert.match(text, /“[^”]+”/);
  assert.match(text, /Camille/);
  assert.match(text, /Antoine/);
  assert.match(text, /letter/);
  assert.doesNotMatch(text, /[⟦⟧«»]/);
  const again = await translated({ source_lang: 'fr', text: page, glossary: '{"lampe":"lantern"}' });
  assert.match(again.text, /lantern/);
  const other = await app.account({ credits: 10_000 });
  const third = await translated({ source_lang: 'fr', text: page }, other.key);
  assert.equal(third.text, text);
});

test('a live key never gets sandbox text: a pair nobody serves is refused, with the pairs that are served', async () => {
  const refused: Record<string, string>[] = [
    { source_lang: 'fr', target_lang: 'de', text: 'Bonjour.' },
    { source_lang: 'ja', target_lang: 'en', text: 'こんにちは。' },
    { target_lang: 'zh', text: 'Bonjour.' },
    // Detected: English is served, but not into Portuguese, and Spanish not into French.
    { target_lang: 'pt', text: 'She closed the door and sat down by the window, where the rain ran down the glass.' },
    { target_lang: 'fr', text: 'Cerró la puerta y se sentó junto a la ventana, por donde corría la lluvia.' },
    { source_lang: 'en', target_lang: 'de', text: 'She closed the door.' },
    { source_lang: 'en', target_lang: 'ru', text: 'She closed the door.' },
    { source_lang: 'fr', target_lang: 'en', text: 'Bonjour.', accept_draft: 'false' },
    { action: 'glossary_extraction', source_lang: 'fr', target_lang: 'ru', text: 'Bonjour.' },
  ];
  for (const fields of refused) {
    const { status, body } = await create(fields);
    assert.equal(status, 400);
    assert.equal(body.error.details.reason, 'NO_ENGINE_FOR_PAIR');
    assert.deepEqual(body.error.details.pairs, 'accept_draft' in fields ? [] : servedDrafts);
    if (!('accept_draft' in fields)) assert.match(body.error.message, /from English into Spanish, French/);
  }
  const wrong = await create({ target_lang: 'en', text: 'Bonjour.', accept_draft: 'perhaps' });
  assert.equal(wrong.body.error.details.field, 'accept_draft');
});

test('a file in a language that nobody serves is refused at once, with the pairs that are served and what can be done', async () => {
  const send = (content: string, fileName = 'book.txt') => {
    const body = form({ action: 'translation', target_lang: 'en', estimated_chars: '500' });
    body.set('file', new Blob([content]), fileName);
    return app.call('POST', '/api/v1/tasks', { key, body });
  };
  const swedish = 'Det var en gång en gammal man som bodde ensam i skogen. Han hade en hund och en katt. '.repeat(4);
  const { status, body } = await send(swedish);
  assert.deepEqual([status, body.error.details.reason], [400, 'NO_ENGINE_FOR_PAIR']);
  assert.deepEqual([body.error.details.source_lang, body.error.details.pairs], ['sv', servedDrafts]);
  assert.match(
    body.error.message,
    /from Swedish into English, but from .*; from English into Spanish, French. Choose a pair of GET \/languages, .*send source_lang/,
  );
  const unknown = await send('Xyzzy');
  assert.deepEqual([unknown.status, unknown.body.error.details.source_lang], [400, 'und']);
  assert.match(unknown.body.error.message, /does not show its language: send source_lang/);
  const unreadable = await send('not an archive', 'book.epub');
  assert.deepEqual([unreadable.status, unreadable.body.error.details.field], [400, 'file']);
});

test('a few words that are in the target language already say so, and not that the pair is not served', async () => {
  const { status, body } = await create({ target_lang: 'en', text: 'Hello world' });
  assert.equal(status, 201);
  const task = await ended(body.data.task_id);
  assert.deepEqual([task.status, task.error.code, task.credits_charged], ['failed', 'SAME_LANGUAGE', 0]);
  assert.match(task.error.message, /is in English already.*Choose another target_lang, or declare source_lang/);
});

test('a test key keeps the sandbox for every pair, and GET /languages tells each key what it gets', async () => {
  const { task, text } = await translated(
    { source_lang: 'fr', target_lang: 'de', text: 'Bonjour, dit-elle.' },
    testKey,
  );
  assert.equal(task.quality, 'sandbox');
  assert.match(text, /⟦/);
  const live = await app.call('GET', '/api/v1/languages', { key });
  assert.deepEqual(live.body.data.pairs, servedDrafts);
  const sandbox = await app.call('GET', '/api/v1/languages', { key: testKey });
  assert.ok(sandbox.body.data.pairs.every(({ quality }: { quality: string }) => quality === 'sandbox'));
});

test('pairs that an operator asks for beyond the good ones are served, and called experimental', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'toledo-engines-')), 'engines.json');
  const engine = { name: 'drafts', kind: 'built-in', experimental: true };
  await writeFile(file, JSON.stringify({ engines: [engine] }));
  const bold = await startTestApp({ env: { TOLEDO_ENGINE: '', TOLEDO_ENGINES: file }, role: 'api' });
  const own = await bold.account();
  const { body } = await bold.call('GET', '/api/v1/languages', { key: own.key });
  assert.deepEqual(body.data.pairs, [
    { source: ['en'], target: ['de', 'it'], quality: 'draft', experimental: true },
    ...servedDrafts,
  ]);
});
