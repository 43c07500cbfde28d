import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { downloadText } from '../support/simulated-engine-app.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const text =
  'Captain Moreau lit the lamp on the quay. Then Captain Moreau waited for the letter, and the lamp went out. ' +
  'Nobody had seen Captain Moreau laugh before.';

test('merge takes the supplied terms and those of the book, replace only the supplied, skip only those of the book', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const termsWith = async (glossary_strategy: string) => {
    const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', text, glossary: { lamp: 'Laterne' } };
    const task = await run(app, key, { ...fields, glossary_strategy });
    assert.equal(task.status, 'completed', JSON.stringify(task));
    const glossary = await downloadText(app, key, task.task_id, 'glossary');
    const translated = await downloadText(app, key, task.task_id);
    const [supplied, found] = [/^lamp,Laterne/m, /^[^,]*Moreau,/m].map((row) => row.test(glossary));
    return { supplied, found, isUsed: translated.includes('Laterne') };
  };
  assert.deepEqual(await termsWith('merge'), { supplied: true, found: true, isUsed: true });
  assert.deepEqual(await termsWith('replace'), { supplied: true, found: false, isUsed: true });
  assert.deepEqual(await termsWith('skip'), { supplied: false, found: true, isUsed: false });
});
