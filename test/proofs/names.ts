/**
 * Forty characters of a novel keep their names through the whole API, although the engine renders a name differently
 * from call to call unless it is told. Only the downloaded book is judged. Size: characters of the novel.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { stripInlineTags } from '../../src/inline-tags.ts';
import { proofRun } from '../support/proof.ts';
import { downloadText, startSimulatedEngineApp } from '../support/simulated-engine-app.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { cast, makeNovel } from '../translation/novel.ts';

const { size: characters } = proofRun({ short: 40_000, long: 300_000 });

test(`forty characters keep their names through ${characters} characters and the whole API, and the report is right about it`, async (context) => {
  const figures = await proveNames(characters);
  context.diagnostic(JSON.stringify(figures));
  assert.ok(figures.mentions > characters / 134, `${figures.mentions}`);
});

async function proveNames(characters: number): Promise<{ mentions: number; terms: number; score: number }> {
  const { app } = await startSimulatedEngineApp({
    seed: 5,
    extractionNoise: 0.2,
    names: cast.map(({ full, first, last, gender }) => ({
      source: full,
      gender: gender === 'male' ? 'm' : 'f',
      aliases: [first, last],
    })),
  });
  const source = makeNovel(characters)
    .sections.flatMap((section) => section.blocks)
    .map((block) => stripInlineTags(block.text));
  const { key } = await app.account({ credits: 10_000_000 });
  const created = await create(
    app,
    key,
    { action: 'translation', source_lang: 'en', target_lang: 'de', estimated_chars: characters * 2 },
    { file: { content: source.join('\n\n') } },
  );
  assert.equal(created.status, 201, created.text);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.equal(task.credits_charged, task.char_count);
  const book = (await downloadText(app, key, task.task_id)).split('\n\n');
  assert.equal(book.length, source.length, 'a paragraph for a paragraph');
  const report = JSON.parse(await downloadText(app, key, task.task_id, 'report'));
  const glossary = await downloadText(app, key, task.task_id, 'glossary');
  const rendering = new Map(glossary.split('\n').map((line) => line.split(',').slice(0, 2) as [string, string]));
  let mentions = 0;
  const missed: string[] = [];
  for (const name of cast.flatMap(({ first, last, full }) => [first, last, full])) {
    const pattern = new RegExp(`\\b${name}\\b`);
    const places = [...source.keys()].filter((i) => pattern.test(source[i] ?? ''));
    const fixed = rendering.get(name);
    // A name that occurs once or twice cannot change on the way and need not be fixed.
    assert.ok(fixed !== undefined || places.length <= 2, `${name} is in ${places.length} paragraphs and not fixed`);
    if (fixed === undefined) continue;
    mentions += places.length;
    for (const i of places) if (!book[i]?.includes(fixed)) missed.push(`${name} → ${fixed}: ${source[i]} / ${book[i]}`);
  }
  assert.deepEqual(missed, [], `of ${mentions} mentions all are as the glossary says`);
  assert.equal(report.consistency.score, 1, 'and the report says so');
  return { mentions, terms: rendering.size, score: report.consistency.score };
}
