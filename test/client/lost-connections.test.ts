import { strict as assert } from 'node:assert';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConnectionError, type DownloadedFile, NotFoundError, type Task } from '../../client/src/index.ts';
import { startPartner, story } from './partner.ts';

const partner = await startPartner();
const created = await partner.toledo.createTask({
  action: 'translation',
  text: story(12_000),
  source_lang: 'es',
  target_lang: 'en',
});
const book = await partner.toledo.wait(created.task_id);
const whole = await partner.toledo.downloadBytes(book.task_id);

const countTasks = async () => (await partner.toledo.listTasks({ limit: 100 })).tasks.length;

test('a refused and a reset connection are tried again', async () => {
  partner.proxy.inflict({ refuse: true }, { cutUploadAfterBytes: 40 });
  assert.equal((await partner.toledo.getTask(book.task_id)).task_id, book.task_id);
});

test('a line that stays dead ends with a ConnectionError that names the cause and not the key', async () => {
  const { proxy, client, key } = partner;
  await proxy.vanish();
  const error = await client({ maxRetries: 1 })
    .usage()
    .catch((fault: unknown) => fault);
  await proxy.appear();
  assert.ok(error instanceof ConnectionError, String(error));
  assert.match(error.message, /ECONNREFUSED/);
  assert.ok(!JSON.stringify(error, Object.getOwnPropertyNames(error)).includes(key));
});

test('an upload that is cut half way is sent again whole: one task, one hold', async () => {
  const { proxy, toledo, folder } = partner;
  const path = join(folder, 'cut.txt');
  await writeFile(path, story(300_000));
  const tasks = await countTasks();
  proxy.inflict({ cutUploadAfterBytes: 100_000 });
  const estimate = await toledo.createTask({ action: 'token_estimate', file: path, char_limit: 500 });
  assert.equal(estimate.char_count, 500);
  assert.equal(await countTasks(), tasks + 1);
});

test('when the answer to a create call is lost, the retry gets the same task and pays once', async () => {
  const { proxy, toledo } = partner;
  const [tasks, before] = [await countTasks(), await toledo.usage()];
  proxy.inflict({ loseAnswer: true });
  const text = story(1_500);
  const task = await toledo.createTask({ action: 'translation', text, source_lang: 'es', target_lang: 'en-x-outage' });
  assert.equal(await countTasks(), tasks + 1);
  const usage = await toledo.usage();
  assert.equal(usage.balance_credits, before.balance_credits - (task.estimated_credits as number));
  proxy.inflict({ loseAnswer: true });
  assert.equal(
    (await toledo.cancelTask(task.task_id)).status,
    'cancelled',
    'the lost answer to a cancel is made up for',
  );
  assert.equal((await toledo.usage()).balance_credits, before.balance_credits);
});

test('a download goes on where it was cut, as often as needed, and is verified', async () => {
  const { proxy, toledo, folder } = partner;
  const to = join(folder, 'often.txt');
  const cut = { cutAnswerAfterBytes: 4_000 };
  proxy.inflict(cut, cut, cut);
  const seen: number[] = [];
  const opened = proxy.opened;
  const file = await toledo.download(book.task_id, { to, onBytes: (received) => seen.push(received) });
  assert.deepEqual(await readFile(to), Buffer.from(whole));
  assert.equal(file.resumed_bytes, 0);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
    'no byte was fetched twice',
  );
  assert.ok(proxy.opened - opened >= 2, `${proxy.opened - opened} connections`);
});

test('a download that was given up is resumed by the next one', async () => {
  const { proxy, client, folder } = partner;
  const to = join(folder, 'resumed.txt');
  const stop = new AbortController();
  const aborted = client().download(book.task_id, { to, signal: stop.signal, onBytes: () => stop.abort() });
  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(readFile(to), { code: 'ENOENT' });
  const part = `${to}.${sha256Of(book).slice(0, 16)}.part`;
  // However much had arrived: half of it is left.
  await truncate(part, Math.floor(whole.length / 2)).catch(() => undefined);
  proxy.resetAll();
  const file: DownloadedFile = await client().download(book.task_id, { to });
  assert.equal(file.resumed_bytes, Math.floor(whole.length / 2));
  assert.deepEqual(await readFile(to), Buffer.from(whole));
  await assert.rejects(readFile(part), { code: 'ENOENT' });
});

test('a spoilt part of an earlier run is thrown away, not delivered', async () => {
  const { toledo, folder } = partner;
  const to = join(folder, 'spoilt.txt');
  await writeFile(`${to}.${sha256Of(book).slice(0, 16)}.part`, 'not the beginning of this book');
  await toledo.download(book.task_id, { to });
  assert.deepEqual(await readFile(to), Buffer.from(whole));
});

test('an existing file is kept unless overwriting is asked for', async () => {
  const { toledo, folder } = partner;
  const to = join(folder, 'mine.txt');
  await writeFile(to, 'mine');
  await assert.rejects(toledo.download(book.task_id, { to }), { name: 'FileExistsError', path: to });
  assert.equal(await readFile(to, 'utf8'), 'mine');
  await toledo.download(book.task_id, { to, overwrite: true });
  assert.deepEqual(await readFile(to), Buffer.from(whole));
});

test('a refused download URL is replaced by a fresh one', async () => {
  const { client } = partner;
  let spoilt = 0;
  const toledo = client({
    fetch: (url, init) => {
      const signed = String(url).includes('/download-file/');
      if (signed) spoilt += 1;
      return fetch(
        signed && spoilt === 1 ? String(url).replace(/.$/, (last) => (last === '0' ? '1' : '0')) : url,
        init,
      );
    },
  });
  assert.deepEqual(await toledo.downloadBytes(book.task_id), whole);
  assert.equal(spoilt, 2);
});

test('faults of the caller are not tried again', async () => {
  let calls = 0;
  const toledo = partner.client({
    fetch: (...args) => {
      calls += 1;
      return fetch(...args);
    },
  });
  await assert.rejects(toledo.getTask('task_unknown'), NotFoundError);
  await assert.rejects(toledo.cancelTask(book.task_id), { code: 'TASK_NOT_CANCELLABLE', status: 409 });
  const idempotencyKey = 'one-key';
  await toledo.createTask({ action: 'token_estimate', text: 'uno' }, { idempotencyKey });
  await assert.rejects(toledo.createTask({ action: 'token_estimate', text: 'dos' }, { idempotencyKey }), {
    code: 'IDEMPOTENCY_CONFLICT',
  });
  // One each, and one look at the task that could not be cancelled.
  assert.equal(calls, 5);
});

function sha256Of(task: Task): string {
  return task.download_files?.find((file) => file.file_id === 'translated')?.sha256 as string;
}
