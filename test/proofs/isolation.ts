/**
 * What one partner sends holds up no other. A second partner's one-sentence task and GET /usage are timed alone and then
 * beside each of many hostile shapes: the ones that did hold up others once, and generated ones (glossaries × texts ×
 * formats). Each hostile task itself completes or fails with a reason of its own. Size: generated shapes. The service
 * runs as `toledo serve`, so that its time and ours are not the same.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endlessTexts, letterCases, repeated } from '../support/endless-texts.ts';
import { LeanClient, percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startServe, toledo } from '../support/toledo-process.ts';

const { size, seed, isLong } = proofRun({ short: 2, long: 30 });
const tasksPerShape = isLong ? 30 : 6;
/** How long a hostile task may go on after the measurement. */
const hostileMs = isLong ? 300_000 : 60_000;

/**
 * A long run on a quiet machine is judged by its slowest answers. A short one runs beside other tests, so its usual answers
 * count, and only a difference that no busy machine makes: before texts had processes of their own it was two hundred times.
 */
const judged = isLong ? 0.99 : 0.5;

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-isolation-'));
const env = {
  TOLEDO_DATABASE_URL: database.url,
  TOLEDO_DATA_DIR: dataDir,
  TOLEDO_PORT: '0',
  TOLEDO_LOG_LEVEL: 'error',
};
const service = await startServe(env);
const client = new LeanClient(100);
after(async () => {
  client.close();
  service.child.kill('SIGTERM');
  await service.exited;
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function account(name: string): Promise<string> {
  const args = ['account', 'create', name, '--credits', '1000000000', '--rate-limit', '100000', '--json'];
  const { stdout } = await toledo(args, env);
  return JSON.parse(stdout).api_key;
}

const victim = await account('victim');
const attacker = await account('attacker');
const api = `${service.rootUrl}/api/v1`;

interface Hostile {
  name: string;
  /** Sends what is hostile; returns the ids of its tasks. */
  send(): Promise<string[]>;
}

test('sixteen creates at once right after the start are all accepted', async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      post(victim, { action: 'translation', target_lang: 'de', text: `Lamp ${i}.` }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 201),
  );
  await Promise.all(answers.map(({ text }) => untilEnded(victim, idOf(text), 60_000)));
});

test("beside every hostile shape another partner's sentence and balance take about as long as alone", async (context) => {
  await measured(10);
  const alone = await measured(tasksPerShape * 2);
  context.diagnostic(`alone: ${describe(alone)}`);
  const slow: string[] = [];
  for (const hostile of [...knownShapes(), ...generatedShapes(size)]) {
    const sending = hostile.send();
    // Some are refused at once and others take minutes; both are measured while they last.
    sending.catch(() => {});
    const beside = await measured(tasksPerShape);
    const ends = await Promise.all((await sending).map((id) => untilEnded(attacker, id, hostileMs)));
    const outcomes = new Set(ends.map(({ status, error }) => (status === 'failed' ? `failed ${error.code}` : status)));
    context.diagnostic(`${hostile.name}: ${describe(beside)}; itself ${[...outcomes].join(', ') || 'refused'}`);
    for (const end of ends) assert.ok(end.status === 'completed' || isOwnReason(end), `${hostile.name}: ${end.status}`);
    for (const kind of ['task', 'usage'] as const) {
      const [before, now] = [percentile(alone[kind], judged), percentile(beside[kind], judged)];
      if (now > allowedMs(before))
        slow.push(`${hostile.name}: ${kind} ${now.toFixed(0)} ms, alone ${before.toFixed(0)} ms`);
    }
  }
  assert.deepEqual(slow, []);
});

function allowedMs(aloneMs: number): number {
  return isLong ? Math.min(3 * aloneMs, 2_000) : Math.max(20 * aloneMs, 500);
}

function isOwnReason({ status, error }: { status: string; error?: { code: string } }): boolean {
  return status === 'failed' && error !== undefined && error.code !== 'INTERNAL';
}

interface Measured {
  task: number[];
  usage: number[];
}

async function measured(count: number): Promise<Measured> {
  const times: Measured = { task: [], usage: [] };
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const { status, text } = await post(victim, {
      action: 'translation',
      source_lang: 'en',
      target_lang: 'de',
      text: `The lamp number ${i} on the quay was out.`,
    });
    assert.equal(status, 201, text);
    const ended = await untilEnded(victim, idOf(text), 120_000);
    assert.equal(ended.status, 'completed');
    times.task.push(performance.now() - startedAt);
    const usage = await client.send('GET', `${api}/usage`, { key: victim });
    assert.equal(usage.status, 200, usage.text);
    times.usage.push(usage.elapsedMs);
  }
  return times;
}

function describe({ task, usage }: Measured): string {
  const figures = (times: number[]) =>
    [0.5, 0.99].map((share) => `p${share * 100} ${percentile(times, share).toFixed(0)} ms`).join(' ');
  return `task ${figures(task)}, usage ${figures(usage)}`;
}

function knownShapes(): Hostile[] {
  const scale = isLong ? 1 : 0.1;
  const chars = (count: number): number => Math.round(count * scale);
  const aliases = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const russian = {
    'Серебряный Шип': { target: 'Thorn', aliases: aliases(chars(19_000), (i) => `Серебряный ш${i.toString(36)}`) },
  };
  const manyMembers = `{"metadata":{${aliases(chars(3_500_000), (i) => `"k${i}":0`).join(',')}}}`;
  const long = isLong ? 3_500_000 : 200_000;
  return [
    tasks('20,000 aliases with one first word', 4, {
      source_lang: 'ru',
      target_lang: 'en',
      glossary: russian,
      text: repeated('Серебряного Шипа коснулся Серебряный. ', 3_000),
    }),
    {
      name: '50 MB of small members, four times',
      send: async () => {
        // A connection whose body was refused half-way is closed, and must not be anybody else's.
        const own = new LeanClient(4);
        const answers = await Promise.all(
          aliases(4, () => postJson(attacker, manyMembers, own).catch(() => undefined)),
        );
        own.close();
        for (const answer of answers) assert.ok(answer === undefined || answer.status === 413, answer?.text ?? '');
        return [];
      },
    },
    tasks('a book in one line', 1, {
      source_lang: 'en',
      target_lang: 'de',
      text: repeated('the lamp was out, ', long),
    }),
    tasks('initials', 2, { source_lang: 'en', target_lang: 'de', text: repeated('A. ', chars(160_000)) }),
    {
      name: 'twelve lists over large results',
      async send() {
        const text = aliases(2_000, (i) => `Chapter ${i + 1}\n\nThe lamp was out.\n\n`).join('');
        const ids = await sendTasks(4, { action: 'preview_metadata', text });
        await Promise.all(ids.map((id) => untilEnded(attacker, id, hostileMs)));
        const lists = aliases(12, () => `${api}/tasks?limit=100`);
        const answers = await Promise.all(lists.map((url) => client.send('GET', url, { key: attacker })));
        for (const { status } of answers) assert.equal(status, 200);
        return ids;
      },
    },
    tasks('forty tiny tasks', 40, { source_lang: 'en', target_lang: 'de', text: 'The lamp was out.' }),
    tasks('free estimates of large texts', 6, {
      action: 'token_estimate',
      text: endlessTexts.words?.(chars(5_000_000)) ?? '',
    }),
    tasks('large books at once', isLong ? 4 : 1, {
      source_lang: 'en',
      target_lang: 'de',
      glossary_strategy: 'replace',
      text: repeated('The lamp on the quay was out.\n\n', chars(5_000_000)),
    }),
    tasks('3,500 long aliases of one term', 2, {
      source_lang: 'en',
      target_lang: 'de',
      glossary: { Lamp: { target: 'x'.repeat(900), aliases: aliases(3_500, (i) => `lamp ${i.toString(36)}`) } },
      text: aliases(1_000, (i) => `lamp ${i.toString(36)} was out`).join(' '),
    }),
    tasks('one word in 15,000 letter cases', 2, {
      source_lang: 'ru',
      target_lang: 'en',
      glossary: Object.fromEntries(
        aliases(chars(15_000), (i) => [letterCases(i), { target: 'x', case_sensitive: true }]),
      ),
      text: repeated('abcdefghijklmnop ', 20_000),
    }),
  ];
}

const glossaries: Record<string, object> = {
  none: {},
  nested: { 的: { target: 'of', aliases: Array.from({ length: 300 }, (_, i) => '的'.repeat(i + 2)) } },
  many: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`a ${i.toString(36)}`, `b ${i}`])),
};
const formats = ['novel.txt', 'novel.md', 'novel.html'];

/** Every n-th of all combinations, beginning somewhere. */
function generatedShapes(count: number): Hostile[] {
  const length = isLong ? 400_000 : 20_000;
  const all = Object.keys(glossaries).flatMap((glossary) =>
    Object.keys(endlessTexts).flatMap((text) => formats.map((format) => ({ glossary, text, format }))),
  );
  return Array.from({ length: count }, (_, i) => {
    const { glossary, text, format } = all[(seed + i * 37) % all.length] as (typeof all)[number];
    return {
      name: `${format} of ${text} with glossary ${glossary}`,
      send: () => sendFiles(2, format, endlessTexts[text]?.(length) ?? '', glossaries[glossary] ?? {}),
    };
  });
}

function tasks(name: string, copies: number, fields: Record<string, unknown>): Hostile {
  return { name, send: () => sendTasks(copies, fields) };
}

async function sendTasks(copies: number, fields: Record<string, unknown>): Promise<string[]> {
  const body = JSON.stringify({ action: 'translation', ...fields });
  const answers = await Promise.all(Array.from({ length: copies }, () => postJson(attacker, body)));
  return answers.flatMap(({ status, text }) => (status === 201 ? [idOf(text)] : refused(status, text)));
}

async function sendFiles(copies: number, fileName: string, text: string, glossary: object): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: copies }, async () => {
      const form = new FormData();
      form.set('action', 'translation');
      form.set('source_lang', 'en');
      form.set('target_lang', 'de');
      form.set('estimated_chars', '1');
      form.set('glossary', JSON.stringify(glossary));
      form.set('file', new Blob([text]), fileName);
      const headers = { authorization: `Bearer ${attacker}` };
      const response = await fetch(`${api}/tasks`, { method: 'POST', body: form, headers });
      return { status: response.status, text: await response.text() };
    }),
  );
  return answers.flatMap(({ status, text: body }) => (status === 201 ? [idOf(body)] : refused(status, body)));
}

/** A hostile text may be refused, but with a reason, and never as our fault. */
function refused(status: number, text: string): [] {
  assert.ok(status >= 400 && status < 500, `${status} ${text.slice(0, 300)}`);
  return [];
}

function post(key: string, fields: Record<string, unknown>): Promise<{ status: number; text: string }> {
  return postJson(key, JSON.stringify(fields));
}

function postJson(key: string, body: string, by = client): Promise<{ status: number; text: string }> {
  return by.send('POST', `${api}/tasks`, { key, body, headers: { 'content-type': 'application/json' } });
}

function idOf(text: string): string {
  return JSON.parse(text).data.task_id;
}

async function untilEnded(
  key: string,
  taskId: string,
  timeoutMs: number,
): Promise<{ status: string; error: { code: string } }> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = 5; ; waitMs = Math.min(200, waitMs * 1.2)) {
    const { status, text } = await client.send('GET', `${api}/tasks/${taskId}`, { key });
    const task = status === 200 ? JSON.parse(text).data : { status: `answered ${status}` };
    if (task.status !== 'pending' || performance.now() > deadline) return task;
    await sleep(waitMs);
  }
}
