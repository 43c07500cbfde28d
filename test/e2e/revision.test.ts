import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { downloadText } from '../support/simulated-engine-app.ts';
import { run } from '../support/task-client.ts';
import { startZooApp } from '../support/zoo/zoo-app.ts';

const { app, zoo } = await startZooApp();

const book: [source: string, answer: string, revised?: string][] = [
  [
    'Marit Olsen opened the door of the old house and went in slowly.',
    'Marit Olsen öffnete die Tür des alten Hauses und ging langsam hinein.',
  ],
  ['Marit Olsen said nothing; she only looked at him.', 'Sie sagte nichts; sie sah ihn nur an.'],
  [
    'In the evening Tobias Brandt lit the lamp and wrote a long letter to his brother in the city.',
    'Am Abend zündete Theodor Brandl die Lampe an und schrieb seinem Bruder in der Stadt einen langen Brief.',
    'Am Abend zündete Tobias Brandt die Lampe an und schrieb seinem Bruder in der Stadt einen langen Brief.',
  ],
];

/** Translates by the table; puts a wrong name right once it is told. */
zoo.answers = (_name, { data }) => {
  const [, text = ''] = data.split('\nText:\n');
  const lines = [...text.matchAll(/^(\d+) (.*)$/gmu)];
  if (lines.length === 0 || !text.includes('Translate line')) return undefined;
  const isRevision = data.includes('Your last attempt was faulty');
  const t = lines.map(([, number, source]) => {
    const row = book.find(([known]) => known === source);
    return `${number} ${(isRevision ? row?.[2] : undefined) ?? row?.[1] ?? ''}`;
  });
  return JSON.stringify({ t });
};

test('a pronoun stands for a name that was just said, a wrong name is repaired, and the revision is shown what stands', async () => {
  zoo.tell('openai', 'plain');
  const { key } = await app.account({ credits: 10_000 });
  const glossary = {
    'Marit Olsen': { target: 'Marit Olsen', type: 'person' },
    'Tobias Brandt': { target: 'Tobias Brandt', type: 'person' },
  };
  const fields = {
    action: 'translation',
    source_lang: 'en',
    target_lang: 'de',
    text: book.map(([source]) => source).join('\n\n'),
    glossary,
    glossary_strategy: 'replace',
  };
  const task = await run(app, key, fields);
  assert.equal(task.status, 'completed', JSON.stringify(task.error));
  const translated = (await downloadText(app, key, task.task_id)).trim().split('\n\n');
  assert.deepEqual(
    translated,
    book.map(([, answer, revised]) => revised ?? answer),
  );
  const prompts = zoo.requests.map(({ body }) => JSON.stringify(body.messages));
  const revisions = prompts.filter((prompt) => prompt.includes('Your last attempt was faulty'));
  assert.equal(revisions.length, 1, 'nobody is asked to name her again');
  assert.match(revisions[0] ?? '', /Standing translation of line 1\. Keep it word for word/);
  assert.match(revisions[0] ?? '', /> 1 Am Abend zündete Theodor Brandl/);
  assert.match(revisions[0] ?? '', /Before, translated:\\n> Sie sagte nichts; sie sah ihn nur an\./);
});
