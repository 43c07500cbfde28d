/** A model that can only answer one paragraph at a time, in plain text, translates a whole novel. Size: characters of the novel. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { downloadText } from '../support/simulated-engine-app.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { animals } from '../support/zoo/animals.ts';
import { oneParagraphOnly } from '../support/zoo/weak-models.ts';
import { startZooApp } from '../support/zoo/zoo-app.ts';

const { size, seed } = proofRun({ short: 8_000, long: 100_000 });
const { app, zoo } = await startZooApp();
const animal = animals.find(({ name }) => name === 'llama-cpp');
assert.ok(animal);
zoo.answers = (_name, request) => oneParagraphOnly(request);

test(`a novel of ${size} characters by a model that can do one paragraph at a time`, async (context) => {
  const resident = zoo.tell(animal.name, 'plain');
  const { key } = await app.account({ credits: 10 * size });
  const text = story(size, seed % 1_000);
  const fields = { action: 'translation', source_lang: 'en', target_lang: animal.targetLang, text };
  const created = await create(app, key, fields);
  assert.equal(created.status, 201, created.text);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'completed', JSON.stringify(task.error));
  assert.equal(task.coverage.failed, 0);
  const translated = await downloadText(app, key, task.task_id);
  const paragraphs = text.split('\n\n');
  assert.equal(translated.split('\n\n').length, paragraphs.length);
  context.diagnostic(
    `${task.char_count} characters, ${paragraphs.length} paragraphs, ${resident.bill.calls} calls; ${app.application.engines.learned().get(animal.name)?.inWords().join('; ')}`,
  );
});
