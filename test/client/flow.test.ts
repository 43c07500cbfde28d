import { strict as assert } from 'node:assert';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  ApiError,
  errorClasses,
  glossaryOf,
  type Source,
  type Task,
  TaskCancelledError,
  TaskFailedError,
  TaskInterruptedError,
  Toledo,
} from '../../client/src/index.ts';
import { openSource } from '../../client/src/source.ts';
import { errorTable } from '../../src/errors.ts';
import { startPartner, story } from './partner.ts';

const { app, toledo, client, folder } = await startPartner();
const text = story(2_000);
const path = join(folder, 'historia.txt');
await writeFile(path, text);
const spanish = { source_lang: 'es', target_lang: 'en' } as const;

// Most of the time is polling, so they run side by side.
describe('the client against the service', { concurrency: 3 }, () => {
  test('there is one error class per code of the service, and no other', () => {
    assert.deepEqual(Object.keys(errorClasses).sort(), Object.keys(errorTable).sort());
    for (const [code, made] of Object.entries(errorClasses)) {
      const fault = { status: 400, code, message: 'm', details: undefined, requestId: 'r', retryAfterMs: undefined };
      assert.equal(new made(fault).name, `${camelCase(code)}Error`);
    }
  });

  test('what can be asked about the account and the service', async () => {
    const [usage, ledger, languages, limits] = await Promise.all([
      toledo.usage(),
      toledo.ledger({ limit: 1 }),
      toledo.languages(),
      toledo.limits(),
    ]);
    assert.ok(usage.balance_credits > 0 && ledger.lines.length === 1 && limits.max_file_bytes > 0);
    assert.ok(languages.languages.some((language) => language.code === 'es'));
  });

  test('translateFile makes a book with extracted terms, reports progress, charges what the quote said', async () => {
    const extracted = await toledo.createTask({ action: 'glossary_extraction', text, char_limit: 900, ...spanish });
    assert.equal(extracted.status, 'completed');
    const glossary = { ...glossaryOf(extracted), Clara: 'Claire' };
    const progress: number[] = [];
    const created: Task[] = [];
    const { task, files } = await toledo.translateFile(path, {
      ...spanish,
      glossary,
      files: ['translated', 'bilingual', 'report'],
      to: folder,
      metadata: { external_id: 'job-7' },
      onCreated: (made) => created.push(made),
      onProgress: (seen) => progress.push(seen.progress ?? 0),
    });
    assert.deepEqual(
      files.map((file) => file.file_name),
      ['historia.en.txt', 'historia.en.bilingual.txt', 'historia.en.report.json'],
    );
    assert.equal(task.credits_charged, [...text].length);
    assert.equal(task.credits_charged, created[0]?.estimated_credits);
    assert.match(await readFile(join(folder, 'historia.en.txt'), 'utf8'), /⟦.*Claire.*⟧/);
    assert.deepEqual(progress, [...progress].sort());
    assert.equal(progress.at(-1), 1);
    const { tasks } = await toledo.listTasks({ external_id: 'job-7' });
    assert.deepEqual(
      tasks.map((found) => found.task_id),
      [task.task_id],
    );
    for (const { file_id, file_size } of task.download_files ?? [])
      assert.equal((await toledo.downloadBytes(task.task_id, { file_id })).length, file_size, file_id);
    assert.equal((await toledo.deleteTask(task.task_id)).task_id, task.task_id);
    await assert.rejects(toledo.getDownload(task.task_id), { code: 'OUTPUT_EXPIRED', status: 410 });
  });

  test('translateFile sends the book once, and the service holds what it counts', async () => {
    const uploads: number[] = [];
    const watched = client({
      fetch: async (input, init) => {
        const size = (await new Response(init?.body).arrayBuffer()).byteLength;
        if (size > text.length) uploads.push(size);
        return await fetch(input, init);
      },
    });
    const { task } = await watched.translateFile(path, { ...spanish, to: join(folder, 'once.txt') });
    assert.equal(uploads.length, 1);
    assert.equal(task.credits_charged, [...text].length);
  });

  test('a text that is too long for JSON goes as a form, with its line ends as they are', async () => {
    const long = 'La noche.\n\n'.repeat(200_000);
    const task = await toledo.createTask({ action: 'token_estimate', text: long, metadata: { part: 'whole' } });
    assert.equal(task.char_count, long.length);
    assert.deepEqual(task.partner_metadata, { part: 'whole' });
  });

  test('every kind of source is read to the last byte, and again for a retry', async () => {
    const sources: [Source, string | undefined, string][] = [
      [path, undefined, 'historia.txt'],
      [pathToFileURL(path), 'other.txt', 'other.txt'],
      [new TextEncoder().encode(text), 'bytes.txt', 'bytes.txt'],
      [new Blob([text]), 'blob.txt', 'blob.txt'],
      [new File([text], 'file.txt'), undefined, 'file.txt'],
      [createReadStream(path), undefined, 'historia.txt'],
      [new Blob([text]).stream(), 'web.txt', 'web.txt'],
    ];
    for (const [source, name, expected] of sources) {
      const opened = await openSource(source, name);
      assert.equal(opened.fileName, expected);
      assert.deepEqual([await opened.blob.text(), await opened.blob.text()], [text, text]);
      await opened.close();
    }
  });

  test('a stream is uploaded whole although the first attempt is lost', async () => {
    let calls = 0;
    const unlucky = client({
      fetch: (...args) => {
        calls += 1;
        return calls === 1 ? Promise.reject(new TypeError('fetch failed')) : fetch(...args);
      },
    });
    const file = createReadStream(path);
    const task = await unlucky.createTask({ action: 'token_estimate', char_limit: 5_000, file });
    assert.deepEqual([task.char_count, task.file_name], [[...text].length, 'historia.txt']);
  });

  test('bytes without a name are refused before anything is sent', async () => {
    await assert.rejects(toledo.createTask({ action: 'token_estimate', char_limit: 9, file: new Uint8Array(3) }), {
      code: 'FILE_NAME_MISSING',
    });
  });

  test('a failed task throws an error that carries the task, and an error on the way carries its id', async () => {
    const failing = { ...spanish, target_lang: 'en-x-fail' };
    const error = await toledo.translateFile(path, { ...failing, to: join(folder, 'no.txt') }).catch((fault) => fault);
    assert.ok(error instanceof TaskFailedError, String(error));
    assert.equal(error.task.status, 'failed');
    assert.equal(error.task.credits_charged, 0);
    await assert.rejects(toledo.finishTask('task_unknown'), (fault) => {
      return (
        fault instanceof TaskInterruptedError && fault.taskId === 'task_unknown' && fault.cause instanceof ApiError
      );
    });
  });

  test('a status word of a later version is waited for, at the pace of the poll hint; a cancelled task is told', async () => {
    const stuck = await toledo.createTask({ action: 'translation', text, ...spanish, target_lang: 'en-x-outage' });
    const polls: number[] = [];
    const later = client({
      fetch: async (...args) => {
        polls.push(performance.now());
        const answer = await fetch(...args);
        const body = (await answer.text()).replace('"status":"pending"', '"status":"proofreading"');
        return new Response(body, {
          status: answer.status,
          headers: { ...Object.fromEntries(answer.headers), 'retry-after': '1' },
        });
      },
    });
    const stop = new AbortController();
    const seen: string[] = [];
    const waiting = later.wait(stuck.task_id, {
      signal: stop.signal,
      onProgress: (task) => {
        seen.push(task.status);
        if (seen.length === 3) stop.abort(new Error('enough'));
      },
    });
    await assert.rejects(waiting, { message: 'enough' });
    assert.deepEqual(seen, ['proofreading', 'proofreading', 'proofreading']);
    const gaps = polls.slice(1).map((at, index) => at - (polls[index] as number));
    assert.ok(
      gaps.every((gap) => gap > 900),
      `${gaps}`,
    );
    await toledo.cancelTask(stuck.task_id);
    await assert.rejects(toledo.wait(stuck.task_id), (fault) => {
      return fault instanceof TaskCancelledError && fault.taskId === stuck.task_id;
    });
  });

  test('an AbortSignal ends an upload, a wait and the pause before a retry at once', async () => {
    const reason = new Error('changed my mind');
    const soon = () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(reason), 50);
      return stop.signal;
    };
    // None of them would end by itself: the pauses before 50 retries take many minutes, and the last one never answers.
    const away = new Toledo({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'tol', maxRetries: 50 });
    await assert.rejects(away.usage({ signal: soon() }), reason);
    await assert.rejects(toledo.usage({ signal: AbortSignal.abort(reason) }), reason);
    const stalled = client({
      fetch: (_url, init) =>
        new Promise((_, no) => init?.signal?.addEventListener('abort', () => no(init.signal?.reason))),
    });
    await assert.rejects(stalled.createTask({ action: 'token_estimate', text }, { signal: soon() }), reason);
  });

  test('a storm of calls over the rate limit gets through, in order of the slots', async () => {
    const { key } = await app.account({ rateLimitPerMinute: 30 });
    const calls = { sent: 0, refused: 0 };
    const stormy = client({
      apiKey: key,
      maxRetries: 3,
      fetch: async (...args) => {
        calls.sent += 1;
        const answer = await fetch(...args);
        if (answer.status === 429) calls.refused += 1;
        return answer;
      },
    });
    const answers = await Promise.all(Array.from({ length: 33 }, () => stormy.usage()));
    assert.equal(answers.length, 33);
    assert.ok(calls.refused >= 1, 'the limit was reached');
    assert.ok(calls.sent < 33 + 15, `${calls.sent} calls for 33 answers`);
  });

  test('a base URL that leads elsewhere is said so', async () => {
    const elsewhere = new Toledo({ baseUrl: app.rootUrl.replace('/api/v1', ''), apiKey: 'tol_live_x' });
    await assert.rejects(elsewhere.usage(), { code: 'NOT_FOUND' });
    const page = client({ fetch: async () => new Response('<html>hello</html>') });
    await assert.rejects(page.usage(), { code: 'UNEXPECTED_ANSWER', message: /not from a Toledo service/ });
    assert.throws(() => new Toledo({ baseUrl: 'localhost', apiKey: 'x' }), { code: 'BAD_BASE_URL' });
    assert.throws(
      () => new Toledo({ baseUrl: 'http://x/api/v1', apiKey: 'a\nb' }),
      (fault: Error) => !fault.message.includes('a\nb'),
    );
  });
});

function camelCase(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}
