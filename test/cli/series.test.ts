import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { type CommandResult, toledo } from '../support/toledo-process.ts';

const app = await startTestApp({ own: true });
const { id: accountId, key } = await app.account({ credits: 10_000 });
const folder = await mkdtemp(join(tmpdir(), 'toledo-series-cli-'));
after(() => rm(folder, { recursive: true, force: true }));
const env = { TOLEDO_BASE_URL: `${app.rootUrl}/api/v1`, TOLEDO_API_KEY: key };
const operator = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };

const ok = (result: CommandResult): string => {
  assert.equal(result.code, 0, result.stderr);
  return result.stdout;
};
const json = (result: CommandResult) => JSON.parse(ok(result));
const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const paragraph = (n: number) =>
  `The ferry number ${n} passed the Iron Gate before dawn, and nobody on the quay saw it go.`;

test('a partner makes a series, pays for the new chapter alone, corrects it and makes the book again for nothing', async () => {
  const { series_id } = json(
    await toledo(['series', 'create', 'The Gate', '--to', 'de', '--from', 'en', '--json'], env),
  );
  const terms = await file('terms.csv', 'source,target,type\nIron Gate,Eisentor,place\n');
  assert.match(ok(await toledo(['series', 'terms', series_id, '--set', terms], env)), /^Set +1 terms$/m);
  const january = await file('january.txt', `${paragraph(1)}\n\n${paragraph(2)}\n`);
  ok(await toledo(['translate', january, '--series', series_id, '--yes'], env));
  assert.match(await readFile(join(folder, 'january.de.txt'), 'utf8'), /Eisentor/);

  const february = await file('february.txt', `${paragraph(1)}\n\n${paragraph(2)}\n\n${paragraph(3)}\n`);
  const estimate = ok(await toledo(['estimate', february, '--series', series_id], env));
  const price = Number(/Price +(\d+) credits/.exec(estimate)?.[1]);
  assert.ok(price >= paragraph(3).length && price < paragraph(3).length + 5, estimate);
  const second = await toledo(['translate', february, '--series', series_id, '--yes'], env);
  assert.match(ok(second), new RegExp(`Charged +${price} credits\nReused +\\d+ characters, uncharged`));

  const corrections = JSON.stringify([
    { source: paragraph(2), target: 'Fähre zwei.' },
    { source: 'Never written.', target: 'Nie.' },
  ]);
  const sent = ok(await toledo(['series', 'correct', series_id, await file('edited.json', corrections)], env));
  assert.equal(sent, 'Taken        1\nUnchanged    0\nRefused      1\n  number 2: UNKNOWN_SOURCE\n');
  const { tasks } = json(await toledo(['tasks', '--action', 'translation', '--limit', '1', '--json'], env));
  const out = join(folder, 'again.txt');
  const again = [
    'translate',
    '--source-task',
    tasks[0].task_id,
    '--series',
    series_id,
    '--out',
    out,
    '--yes',
    '--json',
  ];
  assert.equal(json(await toledo(again, env)).task.credits_charged, 0);
  assert.match(await readFile(out, 'utf8'), /^Fähre zwei\.$/m);

  const [shown, listed, all, some] = await Promise.all([
    toledo(['series', 'show', series_id], env),
    toledo(['series', 'list'], env),
    toledo(['series', 'list', '--all-accounts', '--json'], operator),
    toledo(['series', 'list', '--account', accountId], operator),
  ]);
  assert.match(ok(shown), /Languages +en → de\n.*\nTasks +\d+\nTerms +1\nRemembered +4 paragraphs/);
  assert.match(ok(listed), new RegExp(`${series_id} +en → de +\\d{4}-\\d\\d-\\d\\d +The Gate`));
  assert.equal(json(all).series[0].counts.terms, 1);
  assert.match(ok(some), new RegExp(`${series_id} .*The Gate`));

  const table = ok(await toledo(['series', 'terms', series_id], env));
  assert.match(table, /Iron Gate +Eisentor +place +supplied/);
  ok(await toledo(['series', 'terms', series_id, '--remove', 'Iron Gate'], env));
  assert.deepEqual(json(await toledo(['series', 'terms', series_id, '--json'], env)).terms, []);
  assert.match(ok(await toledo(['series', 'update', series_id, '--title', 'Gates'], env)), /Gates/);
  ok(await toledo(['series', 'delete', series_id], env));
  const gone = await toledo(['series', 'show', series_id], env);
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /There is no such series\. \(NOT_FOUND, request req_\w+\)/);
});

const mistakes: [string[], number, RegExp][] = [
  [['series', 'create', 'The Gate'], 2, /--to is missing/],
  [['series', 'create', 'The Gate', '--to', 'tlh'], 1, /BAD_REQUEST/],
  [['series', 'show'], 2, /SERIES is missing/],
  [['series', 'update', 'ser_x'], 2, /--title or --style/],
  [['series', 'terms', 'ser_x', '--set', 'a.csv', '--remove', 'b'], 2, /not both/],
  [['series', 'correct', 'ser_x', 'absent.xlf'], 2, /no readable file/],
  [['translate', '--source-task', 'task_x', '--resume', 'task_y'], 2, /leave out FILE/],
  [['translate', 'x.txt', '--series', 'ser_x', '--yes'], 1, /There is no such series/],
];
for (const [args, code, message] of mistakes) {
  test(`"toledo ${args.join(' ')}" fails with ${code} and one sentence`, async () => {
    const result = await toledo(args, env);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, message);
    assert.equal(result.stderr.trim().split('\n').length, 1, result.stderr);
  });
}
