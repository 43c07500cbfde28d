import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { languageSamples } from '../language/language-samples.ts';
import { downloadText, sharedSimulatedEngine, startSimulatedEngineApp } from '../support/simulated-engine-app.ts';
import { run } from '../support/task-client.ts';

const { es = '', fr = '' } = languageSamples;
const spanish = { action: 'translation', source_lang: 'es', target_lang: 'en', text: es };

test('Spanish into English that is answered in French is not accepted', async () => {
  const { app, server } = await sharedSimulatedEngine({ firstAnswer: fr });
  const { key } = await app.account({ credits: 10_000 });
  const task = await run(app, key, spanish);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  const translated = await downloadText(app, key, task.task_id);
  assert.ok(!translated.includes(fr.slice(0, 40)), translated);
  assert.match(
    server.log.calls.map(({ data }) => data).join('\n'),
    /not in the target language/,
    'the engine was told',
  );
});

test('an engine that quotes its own instructions is asked again', async () => {
  const firstAnswer = `if one gives orders, translate the order. ${'The old lighthouse stood by the sea and waited. '.repeat(8)}`;
  const { app } = await sharedSimulatedEngine({ firstAnswer });
  const { key } = await app.account({ credits: 10_000 });
  const task = await run(app, key, spanish);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.ok(!(await downloadText(app, key, task.task_id)).includes('translate the order'));
});

test('control characters of an engine never reach a book', async () => {
  const prose =
    'by the sea. She put the letter on the table and looked out of the window. Nobody had come since autumn, and the old man no longer asked why. ' +
    '“He will come back,” she said softly. “He promised both of us.” Her grandfather smiled and did not answer, and far away a small light moved slowly among the waves.';
  const firstAnswer = `The old\u0000 lighthouse\u0007 stood\u001b ${prose}`;
  const { app } = await sharedSimulatedEngine({ firstAnswer });
  const { key } = await app.account({ credits: 10_000 });
  const task = await run(app, key, spanish);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  const translated = await downloadText(app, key, task.task_id);
  assert.match(translated, /The old lighthouse stood by the sea/);
  assert.doesNotMatch(translated, /(?![\n\r\t])\p{Cc}/u);
});

test('an engine that cannot take inline tags never gets any, also when it answers for another that can', async () => {
  const { app, servers } = await startSimulatedEngineApp({ outage: 'server-503' }, { inlineTags: false });
  const { key } = await app.account({ credits: 10_000 });
  const html = `<html><body>${es.split('\n').map((line) => `<p>${line.replace(/ (\p{L}{4,}) /u, ' <i>$1</i> ')}</p>`).join('')}</body></html>`; // biome-ignore format: one line
  const file = { content: html, fileName: 'novela.html' };
  const { action, source_lang, target_lang } = spanish;
  const task = await run(app, key, { action, source_lang, target_lang, estimated_chars: 1 }, { file });
  assert.equal(task.status, 'completed', JSON.stringify(task));
  const [able, unable] = servers.map(({ log }) => log.calls.map(({ fingerprint }) => fingerprint).join('\n'));
  assert.match(able ?? '', /<1>/, 'the first engine was asked with tags');
  assert.ok(unable, 'the second engine answered');
  assert.doesNotMatch(unable, /<\d/);
  assert.match(await downloadText(app, key, task.task_id), /<i>/, 'the book has its tags all the same');
});

test('a short title that comes back as it was, and a sentence that is cut, are asked for again', async () => {
  const cases = [
    ['es', 'en', 'Los jardines perdidos', 'Los jardines perdidos'],
    [
      'en',
      'de',
      'She closed the door behind her. Then she sat down by the fire and slept.',
      'Sie schloss die Tür hinter sich. Dann setzte sie sich an das Feuer und',
    ],
  ] as const;
  for (const [source_lang, target_lang, text, firstAnswer] of cases) {
    const { app, server } = await sharedSimulatedEngine({ firstAnswer });
    const { key } = await app.account({ credits: 10_000 });
    const glossary = { fire: 'Feuer' };
    const fields = { action: 'translation', source_lang, target_lang, text, glossary, glossary_strategy: 'replace' };
    const task = await run(app, key, fields);
    assert.equal(task.status, 'completed', JSON.stringify(task));
    assert.ok(server.log.calls.length > 1, firstAnswer);
    assert.notEqual((await downloadText(app, key, task.task_id)).trim(), firstAnswer);
  }
});
