import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { sampleEpub3 } from '../documents/sample-books.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story } from '../support/texts.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 100_000 });
const task = await run(app, key, { action: 'translation', target_lang: 'de', text: story(3_000) });
const link = async (taskId = task.task_id, query = '') =>
  (await app.call('GET', `/api/v1/tasks/${taskId}/download${query}`, { key })).body.data;
const fetchBytes = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, init);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('the download result has exactly its fields, and the URL works for everyone who holds it, again and again', async () => {
  const result = await link();
  assert.deepEqual(Object.keys(result).sort(), ['download_url', 'expires_in', 'file_name', 'file_size', 'sha256']);
  assert.equal(result.expires_in, 900);
  assert.ok(result.download_url.startsWith(`${app.rootUrl}/api/tasks/download-file/${task.task_id}?`));
  for (let i = 0; i < 2; i++) {
    const { response, bytes } = await fetchBytes(result.download_url);
    assert.equal(response.status, 200);
    assert.equal(bytes.length, result.file_size);
    assert.equal(sha256(bytes), result.sha256);
    assert.equal(response.headers.get('content-length'), String(result.file_size));
    assert.equal(response.headers.get('etag'), `"${result.sha256}"`);
    assert.equal(response.headers.get('accept-ranges'), 'bytes');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="text.de.txt"');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('ratelimit'), null, 'signed downloads do not count');
  }
});

test('every descriptor is fetched with the Bearer key, and is what it says', async () => {
  for (const file of task.download_files) {
    const { response, bytes } = await fetchBytes(app.rootUrl + file.url, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200);
    assert.equal(bytes.length, file.file_size);
    assert.equal(sha256(bytes), file.sha256);
    const signed = await link(task.task_id, `?file_id=${file.file_id}`);
    assert.equal(sha256((await fetchBytes(signed.download_url)).bytes), file.sha256);
  }
  const { bytes } = await fetchBytes(`${app.rootUrl}${task.download_files[3].url}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const report = JSON.parse(bytes.toString());
  assert.equal(report.delivered_characters, task.credits_charged);
});

test('Range, If-Range and HEAD', async () => {
  const { download_url: url, file_size: size, sha256: hash } = await link();
  const { bytes: whole } = await fetchBytes(url);
  const cases: [range: string, start: number, end: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=100-', 100, size - 1],
    ['bytes=-7', size - 7, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
    [`bytes=5-${size * 3}`, 5, size - 1],
  ];
  for (const [range, start, end] of cases) {
    for (const ifRange of [undefined, `"${hash}"`]) {
      const headers = { range, ...(ifRange === undefined ? {} : { 'if-range': ifRange }) };
      const { response, bytes } = await fetchBytes(url, { headers });
      assert.equal(response.status, 206, range);
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end}/${size}`);
      assert.deepEqual(bytes, whole.subarray(start, end + 1), range);
    }
  }
  const ignored = [
    { range: 'bytes=0-5,10-15' },
    { range: 'lines=1-2' },
    { range: 'bytes=9-3' },
    { range: 'bytes=-' },
    { range: 'bytes=x-9' },
    { range: 'bytes=0-9', 'if-range': '"another"' },
    { range: 'bytes=0-9', 'if-range': 'Wed, 21 Oct 2015 07:28:00 GMT' },
  ];
  for (const headers of ignored) {
    const { response, bytes } = await fetchBytes(url, { headers: headers as Record<string, string> });
    assert.equal(response.status, 200, JSON.stringify(headers));
    assert.equal(bytes.length, size);
  }
  const beyond = await fetchBytes(url, { headers: { range: `bytes=${size}-` } });
  assert.equal(beyond.response.status, 416);
  assert.equal(beyond.response.headers.get('content-range'), `bytes */${size}`);
  const path = url.slice(app.rootUrl.length);
  assertError(await app.call('GET', path, { headers: { range: 'bytes=-0' } }), 416, 'RANGE_NOT_SATISFIABLE');
  const head = await fetchBytes(url, { method: 'HEAD' });
  assert.equal(head.response.status, 200);
  assert.equal(head.response.headers.get('content-length'), String(size));
  assert.equal(head.bytes.length, 0);
  const headRange = await fetchBytes(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
  assert.deepEqual([headRange.response.status, headRange.response.headers.get('content-length')], [206, '10']);
});

test('an EPUB comes back as an EPUB', async () => {
  const content = sampleEpub3() as Uint8Array<ArrayBuffer>;
  const book = await run(
    app,
    key,
    { action: 'translation', target_lang: 'fr', estimated_chars: 1 },
    { file: { content, fileName: 'lamp.epub' } },
  );
  const { response, bytes } = await fetchBytes((await link(book.task_id)).download_url);
  assert.equal(response.headers.get('content-type'), 'application/epub+zip');
  assert.equal(bytes.subarray(30, 58).toString(), 'mimetypeapplication/epub+zip');
});

test('file names in any script survive, and no name can break out of its header', async () => {
  const names = [
    'Война и мир.txt',
    '红楼梦.txt',
    'رواية.txt',
    'Vår "bok"; x=1.txt',
    "it's 100%.txt",
    '👩‍👩‍👧‍👦.txt',
    'a\u202Etxt.exe.txt',
    '....txt',
    `${'長'.repeat(200)}.txt`,
    'no extension',
    '../../etc/passwd',
    'C:\\novel.txt',
  ];
  await Promise.all(
    names.map(async (file_name) => {
      const { task_id } = await run(app, key, {
        action: 'translation',
        target_lang: 'zh-TW',
        text: 'The lamp was out.',
        file_name,
      });
      const result = await link(task_id);
      assert.match(result.file_name, /\.zh-TW\.txt$/, file_name);
      assert.ok(
        Buffer.byteLength(result.file_name) <= 255 && !/[\\/\p{Cc}\u202e]/u.test(result.file_name),
        result.file_name,
      );
      const { response } = await fetchBytes(result.download_url);
      const header = response.headers.get('content-disposition') ?? '';
      assert.match(
        header,
        /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]+"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/,
      );
      const extended = /filename\*=UTF-8''(.*)$/.exec(header)?.[1];
      const plain = /filename="([^"]*)"/.exec(header)?.[1];
      assert.equal(extended === undefined ? plain : decodeURIComponent(extended), result.file_name);
    }),
  );
});

test('the EPUBs of a task are books of their own, which name the original as their source', async () => {
  const content = Buffer.from(sampleEpub3());
  const fields = { action: 'translation', target_lang: 'de', estimated_chars: 10_000 };
  const { task_id: id } = await run(app, key, fields, { file: { content, fileName: 'lamp.epub' } });
  const packageOf = (bytes: Uint8Array) => {
    const archive = openArchive(bytes);
    const name = archive.entries.find((entry) => entry.name.endsWith('.opf'))?.name ?? '';
    return Buffer.from(archive.read(name) ?? []).toString('utf8');
  };
  const identifierOf = (opf: string) => /<dc:identifier[^>]*>([^<]+)</.exec(opf)?.[1] ?? '';
  const original = packageOf(content);
  const outputs: string[] = [];
  for (const fileId of ['translated', 'bilingual']) {
    const url = `${app.rootUrl}/api/tasks/download-file/${id}?file_id=${fileId}`;
    outputs.push(packageOf((await fetchBytes(url, { headers: { authorization: `Bearer ${key}` } })).bytes));
  }
  assert.equal(new Set([original, ...outputs].map(identifierOf)).size, 3);
  for (const opf of outputs) assert.ok(opf.includes(`<dc:source>${identifierOf(original)}</dc:source>`), opf);
});
