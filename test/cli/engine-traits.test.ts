import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readLearnedLimits, saveLearnedLimits } from '../../src/engines/learned-limits-store.ts';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { createTestDatabase } from '../support/test-database.ts';

import { toledo } from '../support/toledo-process.ts';
import { openZoo } from '../support/zoo/zoo.ts';

const zoo = await openZoo();
const database = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'toledo-traits-'));
after(async () => {
  await zoo.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A model that remembers what it has read. */
zoo.answers = (_name, { instructions, data }) => {
  if (!data.includes('codeword')) return undefined;
  return /codeword is ([\w-]+)\./u.exec(instructions)?.[1] ?? 'I do not know any codeword.';
};

async function envWith(names: readonly string[]): Promise<Record<string, string>> {
  const file = join(folder, `${names.join('-')}.json`);
  await writeFile(file, JSON.stringify({ engines: zoo.engines.filter(({ name }) => names.includes(name)) }));
  return { TOLEDO_DATA_DIR: folder, TOLEDO_DATABASE_URL: database.url, TOLEDO_ENGINES: file };
}

interface Finding {
  check: string;
  ok: boolean;
  finding: string;
}

test('doctor --engines tells in ten lines what each model can do, and which one loses the head of a prompt', async () => {
  zoo.tell('deepseek', 'plain');
  zoo.tell('vllm', 'thinks 1,500 tokens');
  zoo.tell('ollama', 'window too small');
  const env = await envWith(['deepseek', 'vllm', 'ollama']);
  const { stdout, code } = await toledo(['doctor', '--engines', '--json'], env);
  const findings = JSON.parse(stdout).findings as Finding[];
  const of = (check: string): Finding =>
    findings.find((each) => each.check === check) ?? { check, ok: false, finding: '' };

  const deepseek = findings.filter(({ check }) => check.startsWith('engine deepseek'));
  assert.equal(deepseek.length, 10, stdout);
  assert.ok(
    deepseek.every(({ ok }) => ok),
    stdout,
  );
  assert.match(of('engine deepseek').finding, /^answers within \d/);
  assert.match(of('engine deepseek format').finding, /JSON/);
  assert.match(of('engine deepseek window').finding, /is read from its first line/);
  assert.match(of('engine deepseek thinking').finding, /answers at once \(set to off\)/);
  assert.match(of('engine deepseek speed').finding, /tokens a second; a book of 100,000 characters in about/);
  assert.match(of('engine deepseek prompt cache').finding, /^[\d,]+ of [\d,]+ tokens of a repeated prompt/);
  assert.match(of('engine deepseek price').finding, /^[\d.]+ for a book of 100,000 characters/);
  assert.match(of('engine vllm model').finding, / on vLLM$/);
  assert.match(of('engine vllm thinking').finding, /^it thinks before it answers/);
  assert.deepEqual([of('engine ollama window').ok, code], [false, 1]);
  assert.match(of('engine ollama window').finding, /is not read whole/);
});

test('what was learned about a server is in doctor, until an operator has it forgotten', async () => {
  const env = await envWith(['mistral']);
  const [engine] = zoo.engines.filter(({ name }) => name === 'mistral') as { base_url: string; model?: string }[];
  const opened = openDatabase({ url: database.url, poolSize: 1, log: createLog('silent'), applicationName: 'test' });
  after(() => opened.close());
  const key = `openai-compatible ${engine?.base_url} ${engine?.model}`;
  await saveLearnedLimits(opened.db, key, { windowTokens: 4_096, dropped: ['temperature'] });

  const doctor = await toledo(['doctor'], env);
  assert.match(doctor.stdout, /learned of mistral +ok +a window of 4,096 tokens; not sent: temperature \(since /);
  const forgotten = await toledo(['engine', 'forget', 'mistral'], env);
  assert.match(forgotten.stdout, /What was learned about mistral is forgotten\./);
  assert.deepEqual(await readLearnedLimits(opened.db, [key]), []);
  assert.match((await toledo(['engine', 'forget', 'mistral'], env)).stdout, /Nothing was learned/);
  assert.match((await toledo(['audit', 'list'], env)).stdout, /engine\.forget/);
  const unknown = await toledo(['engine', 'forget', 'nobody'], env);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /no engine "nobody"/);
});
