import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { downloadText, startSimulatedEngineApp } from '../support/simulated-engine-app.ts';
import type { EditedLine } from '../support/simulated-llm/fake-model.ts';
import { create, poll, run, until, untilEnded } from '../support/task-client.ts';
import { toledo, toledoProcess } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';

const { app, servers } = await startSimulatedEngineApp({}, { isEditor: true });
const [translator, editor] = servers;
assert.ok(translator && editor);

const text = (salt: string) =>
  [
    `Chapter ${salt.length}`,
    `Marit Olsen opened the door of the ${salt} house, and the cold came in behind her like a guest.`,
    `She counted 12 plates on the ${salt} table. Nobody had washed them. The lamp was still burning over the sink.`,
    `Marit Olsen said nothing; she only looked at the ${salt} window.`,
    `In the evening the ferry left the ${salt} harbour, and nobody on the quay could say who had ordered it to go.`,
  ].join('\n\n');
const operator = { TOLEDO_DATABASE_URL: app.databaseUrl, TOLEDO_DATA_DIR: app.dataDir };
const fields = (salt: string) => ({
  action: 'translation',
  source_lang: 'en',
  target_lang: 'de',
  text: text(salt),
  glossary: { 'Marit Olsen': { target: 'Marit Olsen', type: 'person' } },
  glossary_strategy: 'replace',
});
const answerOf = (changes: readonly (readonly [EditedLine, string])[]) =>
  JSON.stringify({ t: changes.map(([{ id }, changed]) => `${id} ${changed}`) });
const reportOf = async (key: string, taskId: string) => JSON.parse(await downloadText(app, key, taskId, 'report'));
const paragraphs = async (key: string, taskId: string) => (await downloadText(app, key, taskId)).trim().split('\n\n');

/** Puts the last word of every line of prose first: another text, as long, with all of its words. */
const turned = (translation: string) => translation.replace(/(\p{L}+)([.!?])$/u, (_, word, mark) => `${word}X${mark}`);

test('an editor changes lines: the book, the chapters and the report have them, and the task is called refined', async () => {
  const { id, key } = await app.account({ credits: 10_000 });
  editor.configure({ edit: (lines) => answerOf(lines.slice(1).map((line) => [line, turned(line.translation)])) });
  editor.log.reset();
  const task = await run(app, key, fields('yellow'));
  assert.equal(task.status, 'completed', JSON.stringify(task.error));
  assert.equal(task.quality, 'refined');
  const report = await reportOf(key, task.task_id);
  assert.equal(report.quality, 'refined');
  assert.deepEqual(report.editing, { offered: 4, taken: 4, dropped: 0, dropped_in: [], unread_characters: 0 });
  const [, ...prose] = await paragraphs(key, task.task_id);
  for (const paragraph of prose) assert.match(paragraph, /X\.$/u);
  const chapters = await app.call('GET', `/api/v1/tasks/${task.task_id}/chapters/1`, { key });
  assert.match(chapters.text, /X\./u);
  assert.equal(editor.log.calls.filter((call) => call.task === 'edit').length, 1);
  assert.equal(task.credits_charged, text('yellow').length, 'the partner pays for the text, and not for the editor');
  const inputTokens = editor.log.calls[0]?.inputTokens;
  await eventually(async () => {
    const { stdout } = await toledo(['usage', 'report', '--account', id, '--json'], operator);
    const engines = JSON.parse(stdout).engines as { engine: string; calls: number; input_tokens: number }[];
    const edits = engines.find(({ engine }) => engine === 'simulated-2');
    return edits?.calls === 1 && edits.input_tokens === inputTokens;
  }, 'the operator sees what the editor took');
});

test('the editor sees source, translation and what the translators were told, behind the same front', async () => {
  const { key } = await app.account({ credits: 10_000 });
  editor.log.reset();
  await run(app, key, { ...fields('green'), style: 'Plain.', context: 'A harbour town.' });
  const [call] = editor.log.calls.filter(({ task }) => task === 'edit');
  assert.match(call?.instructions ?? '', /You edit the translation of a novel from English into German\./u);
  const data = call?.data ?? '';
  assert.ok(data.startsWith('Wishes of the publisher:\n> Plain.\nBackground from the publisher:\n> A harbour town.\n'));
  assert.match(data, /^Marit Olsen→Marit Olsen/mu);
  assert.match(data, /^Text:\n1 Chapter 5\n2 Marit Olsen opened the door of the green house/mu);
  assert.match(data, /^Translation:\n1 [^\n]+\n2 [^\n]*Marit Olsen/mu);
  assert.match(data, /^Edit lines 1-5\.$/mu);
});

test('a change that drops a sentence, changes a name, loses a number, grows or counts wrongly is dropped; the others are taken', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const withoutSentence = (translation: string) => translation.replace(/[^.]+\.$/u, '').trim();
  const plates = (lines: readonly EditedLine[]) => lines.filter(({ source }) => source.includes('plates'));
  const named = (lines: readonly EditedLine[]) => lines.filter(({ source }) => source.includes('said nothing'));
  const harbour = (lines: readonly EditedLine[]) => lines.filter(({ source }) => source.includes('ferry'));
  const together = 'sentence, name and source';
  const cases: Record<string, (lines: readonly EditedLine[]) => [EditedLine, string][]> = {
    [together]: (lines) => [
      ...plates(lines).map((line): [EditedLine, string] => [line, withoutSentence(line.translation)]),
      ...named(lines).map((line): [EditedLine, string] => [
        line,
        line.translation.replace('Marit Olsen', 'Maren Nilsen'),
      ]),
      ...harbour(lines).map((line): [EditedLine, string] => [line, line.source]),
    ],
    number: (lines) => plates(lines).map((line) => [line, line.translation.replace('12', 'zwölf')]),
    length: (lines) => plates(lines).map((line) => [line, `${line.translation} ${line.translation.slice(0, 60)}.`]),
    shifted: (lines) => harbour(lines).map((line) => [line, lines[2]?.translation ?? '']),
  };
  const dropped = (salt: string) => (salt === together ? 3 : 1);
  for (const [salt, bad] of Object.entries(cases)) {
    editor.configure({
      edit: (lines) => {
        const [, good] = lines;
        assert.ok(good);
        const changes = bad(lines);
        assert.equal(changes.length, dropped(salt));
        const taken: [EditedLine, string][] = salt === 'shifted' ? [] : [[good, turned(good.translation)]];
        return answerOf([...taken, ...changes]);
      },
    });
    const task = await run(app, key, fields(salt));
    assert.equal(task.status, 'completed');
    const { editing } = await reportOf(key, task.task_id);
    const taken = salt === 'shifted' ? 0 : 1;
    const lost = dropped(salt);
    assert.deepEqual([editing.offered, editing.taken, editing.dropped], [taken + lost, taken, lost], salt);
    assert.equal(editing.dropped_in.length, lost);
    const [, first, second, third] = await paragraphs(key, task.task_id);
    assert.equal(/X\.$/u.test(first ?? ''), taken === 1);
    assert.match(second ?? '', /12/u);
    assert.equal((second ?? '').match(/\./gu)?.length, 3, 'all three sentences are there');
    assert.match(third ?? '', /Marit Olsen/u);
  }
});

test('an editor that talks, refuses, fails or is away leaves the translation as it is, and the task is an ordinary one', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const plain = async (salt: string) => {
    const task = await run(app, key, fields(salt));
    assert.equal(task.status, 'completed', JSON.stringify(task.error));
    assert.equal(task.quality, 'standard');
    const { editing, quality } = await reportOf(key, task.task_id);
    assert.equal(quality, 'standard');
    assert.deepEqual([editing.offered, editing.taken], [0, 0]);
    assert.ok(editing.unread_characters > 0);
  };
  editor.configure({ edit: () => 'What a lovely book! I would not change a thing, and you?' });
  await plain('nonsense');
  editor.configure({ edit: () => '{"t":["99 Nobody asked for this line."]}' });
  await plain('uncounted');
  editor.configure({ outage: 'refusal' });
  await plain('refused');
  editor.configure({ outage: 'server-500' });
  await plain('broken');
  editor.configure({ outage: undefined });
});

test('a task that is cancelled while it is edited is charged and delivered as it was translated', async () => {
  const { key } = await app.account({ credits: 100_000 });
  after(() => editor.configure({ script: [] }));
  editor.log.reset();
  // It is there while the book is translated, and gives no answer once it is asked.
  editor.configure({ script: Array(20).fill('hang-before') });
  const { body } = await create(app, key, fields('cancelled'));
  const { task_id } = body.data;
  await until(app, key, task_id, ({ stage }) => stage === 'finalizing');
  await eventually(async () => editor.log.calls.some(({ task }) => task === 'edit'), 'the call that edits');
  const cancelled = await app.call('POST', `/api/v1/tasks/${task_id}/cancel`, { key });
  assert.equal(cancelled.status, 200, cancelled.text);
  const task = await untilEnded(app, key, task_id);
  assert.deepEqual([task.status, task.credits_charged], ['cancelled', text('cancelled').replaceAll('\n', '').length]);
});

test('a series remembers what the editor has written', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const headers = { 'content-type': 'application/json' };
  const made = await app.call('POST', '/api/v1/series', {
    key,
    headers,
    body: JSON.stringify({ title: 'Ferries', source_lang: 'en', target_lang: 'de' }),
  });
  const { series_id } = made.body.data;
  editor.configure({ edit: (lines) => answerOf(lines.slice(1).map((line) => [line, turned(line.translation)])) });
  const { source_lang: _, target_lang: __, ...rest } = fields('silver');
  await run(app, key, { ...rest, series_id });
  editor.configure({ edit: () => '{"t":[]}' });
  const added = 'Then the bell rang over the water, and everybody went home without a word.';
  const again = await run(app, key, { ...rest, series_id, text: `${rest.text}\n\n${added}` });
  assert.equal(again.quality, 'refined');
  const texts = await paragraphs(key, again.task_id);
  for (const remembered of texts.slice(1, 4)) assert.match(remembered, /X\.$/u);
  assert.doesNotMatch(texts.at(-1) ?? '', /X\.$/u);
  assert.equal((await poll(app, key, again.task_id)).body.data.quality, 'refined');
});

test('a file of engines whose editor is unknown, or cannot edit, stops the start with a sentence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-editor-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'engines.json');
  const withEditor = async (editorName: string) => {
    await writeFile(file, JSON.stringify({ engines: [{ name: 'drafts', kind: 'built-in' }], editor: editorName }));
    return { ...operator, TOLEDO_PORT: '0', TOLEDO_ENGINES: file };
  };
  const start = await toledoProcess(['serve'], await withEditor('nobody'));
  assert.equal(start.code, 1);
  assert.match(start.stderr, /editor names "nobody", which is not an engine/u);
  const { stdout, stderr } = await toledo(['doctor'], await withEditor('drafts'));
  assert.match(stdout + stderr, /editor names "drafts", which is of kind built-in and cannot edit/u);
});
