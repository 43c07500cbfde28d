import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { tellTask } from '../../src/operators/task-story.ts';
import { downloadText } from '../support/simulated-engine-app.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';
import { animals } from '../support/zoo/animals.ts';
import { zooBook } from '../support/zoo/book.ts';
import { nonsense, oneParagraphOnly } from '../support/zoo/weak-models.ts';
import { startZooApp } from '../support/zoo/zoo-app.ts';

const { app, zoo } = await startZooApp();
const [talker, mumbler] = ['llama-cpp', 'vllm'].map((name) => animals.find((animal) => animal.name === name));
assert.ok(talker && mumbler);
const nonsenseOf = nonsense();
zoo.answers = (name, request) =>
  name === talker.name ? nonsenseOf(request) : name === mumbler.name ? oneParagraphOnly(request) : undefined;

test('a model that answers nonsense ends the task with its cause after 40 calls at most, uncharged, and the operator is told what to do', async () => {
  const resident = zoo.tell(talker.name, 'plain');
  const { key } = await app.account({ credits: 200_000 });
  // Long enough that many calls could be under way before the first is judged.
  const text = story(100_000, 7);
  const fields = { action: 'translation', source_lang: 'en', target_lang: talker.targetLang, text };
  const created = await create(app, key, fields);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'failed');
  assert.equal(task.error.code, 'TRANSLATION_INCOMPLETE');
  assert.match(task.error.message, /could be used|could not be translated/, task.error.message);
  assert.ok(resident.bill.calls <= 40, `${resident.bill.calls} calls`);
  assert.equal(task.credits_charged, 0);
  assert.deepEqual(await creditsOf(app, key), { balance: 200_000, reserved: 0, used: 0 });
  // Calls are counted in the process and written every few seconds.
  const isTold = async () => {
    const { advice = '' } = await tellTask(app.application.database.db, task.task_id);
    return /llama-cpp .*toledo doctor --engines/.test(advice);
  };
  await eventually(isTold, 'advice that names the engine');
});

test('a model that can only do one paragraph at a time in plain text translates the whole book', async () => {
  zoo.tell(mumbler.name, 'plain');
  const { key } = await app.account({ credits: 100_000 });
  const { text } = zooBook('paragraphs');
  const fields = { action: 'translation', source_lang: 'en', target_lang: mumbler.targetLang, text };
  const created = await create(app, key, fields);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'completed', JSON.stringify(task.error));
  assert.equal(task.credits_charged, task.char_count);
  const translated = await downloadText(app, key, task.task_id);
  assert.ok(!translated.includes('weather is lovely'));
});
