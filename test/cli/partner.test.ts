import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPace, progressText } from '../../src/cli/partner/progress-line.ts';
import { startTestApp } from '../support/test-app.ts';
import { type CommandResult, toledo } from '../support/toledo-process.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 10_000 });
const folder = await mkdtemp(join(tmpdir(), 'toledo-partner-cli-'));
after(() => rm(folder, { recursive: true, force: true }));
const env = { TOLEDO_BASE_URL: `${app.rootUrl}/api/v1`, TOLEDO_API_KEY: key };
const book = join(folder, 'cuento.txt');
const text = 'Clara Montes abrió la puerta. Clara Montes no vio a nadie en la calle.\n\n'.repeat(8);
await writeFile(book, text);
const characters = text.length;

const ok = (result: CommandResult) => {
  assert.equal(result.code, 0, result.stderr);
  return result;
};

test('usage, estimate and inspect answer for people and for machines', async () => {
  const [usage, json, estimate, inspect] = await Promise.all([
    toledo(['usage'], env),
    toledo(['usage', '--json'], env),
    toledo(['estimate', book], env),
    toledo(['inspect', book, '--json'], env),
  ]);
  assert.match(ok(usage).stdout, /Balance +10,000 credits/);
  assert.equal(JSON.parse(ok(json).stdout).balance_credits, 10_000);
  assert.match(ok(estimate).stdout, new RegExp(`Characters +${characters}\\nPrice +${characters} credits`));
  assert.equal(JSON.parse(ok(inspect).stdout).metadata.total_characters, characters);
});

test('glossary writes what translate accepts; the book is written beside its source and paid as quoted', async () => {
  const terms = join(folder, 'terms.json');
  const made = ok(await toledo(['glossary', book, '--to', 'en', '--char-limit', '300', '--out', terms, '--yes'], env));
  assert.match(made.stdout, /Charged +300 credits/);
  const glossary = { ...JSON.parse(await readFile(terms, 'utf8')), 'Clara Montes': 'Claire Hills' };
  await writeFile(terms, JSON.stringify(glossary));
  const translated = await toledo(
    ['translate', book, '--from', 'es', '--to', 'en', '--glossary', terms, '--bilingual', '--yes'],
    env,
  );
  assert.match(
    ok(translated).stdout,
    new RegExp(`Charged +${characters} credits\\nCoverage +100.0 % of ${characters}`),
  );
  assert.match(translated.stderr, new RegExp(`Price +${characters} credits, of 9,700`));
  assert.ok(!translated.stderr.includes('\u001b'), 'no terminal codes outside a terminal');
  assert.match(await readFile(join(folder, 'cuento.en.txt'), 'utf8'), /Claire Hills/);
  assert.match(await readFile(join(folder, 'cuento.en.bilingual.txt'), 'utf8'), /Clara Montes/);
  const again = await toledo(['translate', book, '--from', 'es', '--to', 'EN', '--yes'], env);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /cuento\.en\.txt" exists already/);
  const { tasks } = JSON.parse(ok(await toledo(['tasks', '--action', 'translation', '--json'], env)).stdout);
  assert.equal(tasks.length, 1, 'the second run saw the file before it created anything');
  const [task] = tasks;
  const report = join(folder, 'report.json');
  ok(await toledo(['download', task.task_id, '--file', 'report', '--out', report], env));
  assert.equal(JSON.parse(await readFile(report, 'utf8')).coverage.failed, 0);
  // Out of the way of the commands below.
  await rm(join(folder, 'cuento.en.txt'));
});

test('read prints one line, an address that opens the book; --editable and --days say what it allows and how long', async () => {
  const [task] = JSON.parse(ok(await toledo(['tasks', '--action', 'translation', '--json'], env)).stdout).tasks;
  const [plain, more, unknown] = await Promise.all([
    toledo(['read', task.task_id], env),
    toledo(['read', task.task_id, '--editable', '--days', '2', '--json'], env),
    toledo(['read', 'task_00000000000000000000000000'], env),
  ]);
  const [address = '', ...rest] = ok(plain).stdout.split('\n');
  assert.deepEqual(rest, ['']);
  assert.match(await (await fetch(address)).text(), /Translation only/);
  const { editable, expires_in } = JSON.parse(ok(more).stdout);
  assert.deepEqual([editable, expires_in], [true, 172_800]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /NOT_FOUND/);
});

test('Ctrl-C leaves the task running and prints the command that takes it up again', async () => {
  const out = join(folder, 'slow.txt');
  const args = ['translate', book, '--from', 'es', '--to', 'en-x-slow', '--out', out, '--yes'];
  const child = spawn(fileURLToPath(new URL('../../bin/toledo', import.meta.url)), args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  let interrupted = false;
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    // A stage is shown: the command is waiting.
    if (!interrupted && /^(queued|preparing|translating)/m.test(printed)) interrupted = child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 130, printed);
  const resume = /The task goes on.*\n {2}npx toledo (.+)/.exec(printed)?.[1] ?? '';
  assert.match(resume, /^translate --resume task_\w+ --out \S+$/);
  assert.ok(!printed.includes(key));
  const resumed = JSON.parse(ok(await toledo([...resume.split(' '), '--json'], env)).stdout);
  assert.equal(resumed.task.status, 'completed');
  assert.equal(resumed.files[0].path, out);
});

const mistakes: [string[], number, RegExp][] = [
  [['translate'], 2, /FILE is missing/],
  [['translate', 'absent.epub', '--to', 'en', '--yes'], 2, /There is no readable file "absent.epub"/],
  [['translate', book, '--yes'], 2, /--to is missing/],
  [['translate', book, '--to', 'en'], 2, /agree with --yes/],
  [['translate', book, '--to', 'en', '--json'], 2, /agree with --yes/],
  [['translate', book, '--resume', 'task_x'], 2, /leave out FILE/],
  [['translate', book, '--to', 'en', '--out', book, '--yes'], 2, /exists already/],
  [['translate', book, '--to', 'en', '--out', '/nowhere/x.txt', '--yes'], 2, /no folder "\/nowhere"/],
  [['translate', book, '--to', 'en', '--char-limit', '1e3', '--yes'], 2, /--char-limit must be a whole number/],
  [['translate', book, '--to', 'en', '--glossary', book, '--yes'], 2, /not a JSON object/],
  [['translate', book, '--to', 'en', '--glossary', folder, '--yes'], 2, /no readable file/],
  [['translate', book, '--to', 'en', '--glossary-strategy', 'blend', '--yes'], 2, /merge, replace, skip/],
  [['usage', '--base-url', 'nowhere'], 2, /base URL/],
  [['tasks', '--status', 'done'], 2, /--status is one of/],
  [['cancel', 'task_unknown'], 1, /There is no such task\. \(NOT_FOUND, request req_\w+\)/],
  [['usage', '--api-key', 'tol_live_wrong'], 1, /\(UNAUTHORIZED, request req_\w+\)/],
  [['translate', book, '--to', 'tlh', '--yes'], 1, /\(BAD_REQUEST, request req_\w+\)/],
];
for (const [args, code, message] of mistakes) {
  const shown = args.map((word) => (word === book ? 'BOOK' : word === folder ? 'FOLDER' : word)).join(' ');
  test(`"toledo ${shown}" fails with ${code} and one sentence`, async () => {
    const result = await toledo(args, env);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, message);
    assert.equal(result.stderr.trim().split('\n').length, 1, result.stderr);
  });
}

test('a price over the balance is refused before anything is created', async () => {
  const poor = await app.account({ credits: 10 });
  const result = await toledo(['translate', book, '--to', 'en', '--yes'], { ...env, TOLEDO_API_KEY: poor.key });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /takes \d+ credits and the balance is 10.*PAYMENT_REQUIRED/);
});

test('the progress line shows stage, percentage, characters per second and time left', () => {
  const pace = createPace();
  const at = (progress: number) => ({
    task_id: 't',
    action: 'translation',
    status: 'pending',
    stage: 'translating',
    char_count: 10_000,
    progress,
  });
  pace.add(at(0.2), 0);
  assert.equal(pace.rate(), undefined);
  pace.add(at(0.5), 3_000);
  assert.equal(pace.rate(), 1_000);
  const line = progressText(at(0.5), pace.rate(), pace.secondsLeft(4_000));
  assert.equal(line, `translating  ${'█'.repeat(12)}${'░'.repeat(12)}   50 %  1,000 characters/s  0:04 left`);
});
