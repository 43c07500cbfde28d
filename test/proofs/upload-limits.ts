/** Uploads at and beyond every limit of size, time and number are answered, and leave nothing behind. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { AppError } from '../../src/errors.ts';
import type { StoredObject } from '../../src/platform/storage/storage.ts';
import { patienceMs } from '../support/patience.ts';
import { post, type RawAnswer, rawRequest } from '../support/raw-request.ts';
import {
  startUploadServer,
  type UploadAnswer,
  type UploadServer,
  type UploadServerSettings,
} from '../support/upload-server.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const boundary = '----toledo-limits-5f0c2d';
const head = (name: string, fileName?: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName ? `; filename="${fileName}"` : ''}\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;
const type = `multipart/form-data; boundary=${boundary}`;
const patient = { idleTimeoutMs: patienceMs, bodyTimeoutMs: patienceMs, rateWindowMs: patienceMs };

async function withServer(
  settings: UploadServerSettings,
  body: (server: UploadServer) => Promise<void>,
): Promise<void> {
  const server = await startUploadServer(settings);
  try {
    await body(server);
    assert.deepEqual(server.unexpected, []);
    await until(() => server.temporaryFiles().length === 0);
    assert.deepEqual(await server.storedObjects(), []);
  } finally {
    await server.close();
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function send(server: UploadServer, name: string, content: string, fileName?: string) {
  const response = await fetch(server.url, {
    method: 'POST',
    body: head(name, fileName) + content + tail,
    headers: { 'content-type': type },
  });
  return { status: response.status, ...((await response.json()) as UploadAnswer) };
}

test('a limit allows its own size and refuses one more, naming the field', async () => {
  const limits = {
    fileBytes: 100_000,
    fieldBytes: 1_000,
    glossaryBytes: 2_000,
    textCharacters: 500,
    requestBytes: 200_000,
  };
  await withServer({ limits }, async (server) => {
    const table: [name: string, largest: string, fileName: string | undefined, details: object][] = [
      ['file', 'x'.repeat(100_000), 'a.txt', { field: 'file', limit_bytes: 100_000 }],
      ['action', 'é'.repeat(500), undefined, { field: 'action', limit_bytes: 1_000 }],
      ['glossary', 'x'.repeat(2_000), undefined, { field: 'glossary', limit_bytes: 2_000 }],
      ['text', '🙂'.repeat(500), undefined, { field: 'text', limit_characters: 500 }],
    ];
    for (const [name, largest, fileName, details] of table) {
      assert.equal((await send(server, name, largest, fileName)).status, 201, name);
      const refused = await send(server, name, `${largest}x`, fileName);
      assert.equal(refused.status, 413, name);
      assert.equal(refused.error?.code, 'PAYLOAD_TOO_LARGE');
      assert.deepEqual(refused.error?.details, details);
    }
  });
});

test('the request limit counts raw bytes of all parts and holds with and without Content-Length', async () => {
  await withServer({ limits: { requestBytes: 10_000 } }, async (server) => {
    const filling = 10_000 - head('text').length - tail.length;
    for (const [extra, status] of [
      [0, 201],
      [1, 413],
    ] as const) {
      const body = head('text') + 'x'.repeat(filling + extra) + tail;
      const plain = post({ 'Content-Type': type, 'Content-Length': body.length }, body);
      assert.equal((await rawRequest(server.port, [plain])).status, status);
      const chunked = post(
        { 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
        `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      );
      assert.equal((await rawRequest(server.port, [chunked])).status, status);
    }
  });
});

test('a JSON or urlencoded body has a limit of its own, and the refusal names the two ways for a longer text', async () => {
  await withServer({ limits: { smallBodyBytes: 1_000 } }, async (server) => {
    const forms = {
      'application/json': (length: number) => `{"text":"${'x'.repeat(length - 11)}"}`,
      'application/x-www-form-urlencoded': (length: number) => `text=${'x'.repeat(length - 5)}`,
    };
    for (const [contentType, body] of Object.entries(forms))
      for (const [length, status] of [
        [1_000, 201],
        [1_001, 413],
      ] as const) {
        const whole = post({ 'Content-Type': contentType, 'Content-Length': length }, body(length));
        const chunked = post(
          { 'Content-Type': contentType, 'Transfer-Encoding': 'chunked' },
          `${length.toString(16)}\r\n${body(length)}\r\n0\r\n\r\n`,
        );
        for (const request of [whole, chunked]) {
          const answer = await rawRequest(server.port, [request]);
          assert.equal(answer.status, status, answer.body);
          if (status === 201) continue;
          const { error } = JSON.parse(answer.body) as UploadAnswer;
          assert.match(error?.message ?? '', /file part .* part "text"/);
          assert.deepEqual(error?.details, { limit_bytes: 1_000 });
        }
      }
    assert.equal((await send(server, 'text', 'x'.repeat(5_000))).status, 201);
  });
});

test('every client sees the 413 of a body of 100 MB, and little more than the limit is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toledo-large-'));
  const path = join(folder, 'large');
  writeFileSync(path, Buffer.alloc(100_000_000, 'x'));
  await withServer({ limits: { requestBytes: 4 * MiB, fileBytes: 3 * MiB } }, async (server) => {
    const curl = async (...options: string[]) => {
      const args = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...options, server.url];
      return (await promisify(execFile)('curl', args)).stdout;
    };
    assert.equal(await curl('-F', `file=@${path}`), '413');
    assert.equal(await curl('-F', `file=@${path}`, '-H', 'Transfer-Encoding: chunked', '-H', 'Expect:'), '413');
    assert.equal(await curl('-F', `text=<${path}`, '-H', 'Expect:'), '413');
    for (let round = 0; round < 5; round += 1) {
      const data = new FormData();
      data.append('file', await openAsBlob(path));
      assert.equal((await fetch(server.url, { method: 'POST', body: data })).status, 413);
    }
    await until(() => server.openSockets() === 0);
    assert.ok(server.receivedBytes() < 8 * 5 * MiB, `${server.receivedBytes()} bytes read in 8 requests`);
  });
  rmSync(folder, { recursive: true });
});

test('after a small fault the connection serves the next request', async () => {
  await withServer({}, async (server) => {
    const bad = post({ 'Content-Type': 'text/plain', 'Content-Length': 200_000 }, 'x'.repeat(200_000));
    const good = post({ 'Content-Type': 'application/json', 'Content-Length': 14 }, '{"text":"abc"}');
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(bad);
    await until(() => received.includes('415'));
    socket.write(good);
    await until(() => received.includes('201'));
    socket.destroy();
  });
});

test('10,001 parts and a part header of 1 MB are refused as soon as the limit is passed', async () => {
  await withServer({ limits: { idleTimeoutMs: patienceMs } }, async (server) => {
    const parts = Array.from({ length: 10_001 }, (_, index) => `${head(`f${index}`)}x\r\n`).join('');
    for (const body of [parts, `--${boundary}\r\nX-Long: ${'x'.repeat(1_000_000)}`]) {
      // The end of the body never comes: who waits for it does not answer.
      const request = post({ 'Content-Type': type, 'Content-Length': body.length + 1_000 }, body);
      assert.equal((await rawRequest(server.port, [request], { timeoutMs: patienceMs })).status, 400);
    }
  });
});

test('a client that falls silent, drips, or never ends is answered and closed', async () => {
  const start = post({ 'Content-Type': type, 'Content-Length': 1_000_000 }, head('file', 'a.txt'));
  const pieces = (count: number, sizeBytes: number) => Array.from({ length: count }, () => 'x'.repeat(sizeBytes));
  // One short limit at a time: on a busy machine it cannot be overtaken by another.
  const answerTo = async (limits: UploadServerSettings['limits'], sent: (string | Uint8Array)[], betweenMs = 20) => {
    let answer: RawAnswer | undefined;
    await withServer({ limits: { ...patient, ...limits } }, async (server) => {
      answer = await rawRequest(server.port, sent, { betweenMs, timeoutMs: patienceMs });
    });
    assert.ok(answer);
    return answer;
  };
  const silent = await answerTo({ idleTimeoutMs: 400 }, [start]);
  assert.equal(silent.status, 400);
  assert.equal((JSON.parse(silent.body) as UploadAnswer).error?.details?.reason, 'UPLOAD_TOO_SLOW');
  assert.match(silent.body, /Nothing of the body came/);
  const slowest = { minimumBytesPerSecond: 1_000, rateWindowMs: 500 };
  const dripping = await answerTo(slowest, [start, ...pieces(500, 1)]);
  assert.equal(dripping.status, 400);
  assert.match(dripping.body, /less than 1000 bytes per second/);
  // Long pauses: the one that took more than half of the time is blamed, and a busy machine takes some of it.
  const endless = await answerTo({ bodyTimeoutMs: 1_500 }, [start, ...pieces(500, 100)], 300);
  assert.equal(endless.status, 400);
  assert.match(endless.body, /not complete after 2 seconds/);
  // Each piece is worth 100 s at the slowest rate, so that no pause of a busy machine makes this client slow.
  const steady = [head('file', 'a.txt'), ...pieces(40, 100_000), tail];
  const length = steady.join('').length;
  const fine = await answerTo(slowest, [post({ 'Content-Type': type, 'Content-Length': length }, ''), ...steady]);
  assert.equal(fine.status, 201, fine.body);
});

test('100 uploads broken off by their clients leave no file and no object', async () => {
  await withServer({}, async (server) => {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const body = head('file', 'a.txt') + 'x'.repeat(index * 2_000);
        const request = post({ 'Content-Type': type, 'Content-Length': 10_000_000 }, body);
        return rawRequest(server.port, [request], { timeoutMs: index * 3 });
      }),
    );
    await until(() => server.temporaryFiles().length === 0);
  });
});

test('a slow storage slows the client down and is not blamed on it', async () => {
  // One pause, twice as long as a client may be silent; with it the body comes at less than the slowest rate.
  const sink = async (body: AsyncIterable<Uint8Array>) => {
    let sizeBytes = 0;
    for await (const chunk of body) {
      if (sizeBytes === 0) await new Promise((resolve) => setTimeout(resolve, 3_000));
      sizeBytes += chunk.byteLength;
    }
    return { key: 'slow/one', sizeBytes, sha256: '' };
  };
  const limits = { idleTimeoutMs: 1_500, rateWindowMs: 1_000, minimumBytesPerSecond: 700_000 };
  await withServer({ limits, sink }, async (server) => {
    assert.equal((await send(server, 'file', 'x'.repeat(2_000_000), 'a.txt')).status, 201);
  });
});

test('a storage that fails or hangs is 503, and what it stores too late is removed', async () => {
  const failing = async () => {
    throw new AppError('UNAVAILABLE', 'The file storage is full just now.', { retryAfterSeconds: 60 });
  };
  await withServer({ sink: failing }, async (server) => {
    const answer = await send(server, 'file', 'x'.repeat(500_000), 'a.txt');
    assert.equal(answer.status, 503);
    assert.match(answer.error?.message ?? '', /full/);
  });
  const { promise: late, resolve } = Promise.withResolvers<StoredObject>();
  await withServer({ sink: () => late, limits: { bodyTimeoutMs: 2_000 } }, async (server) => {
    const answer = await send(server, 'file', 'x'.repeat(5_000_000), 'a.txt');
    assert.equal(answer.status, 503);
    assert.match(answer.error?.message ?? '', /could not be stored in time/);
    resolve({ key: 'late/one', sizeBytes: 1, sha256: '' });
    await until(() => server.discarded.includes('late/one'));
  });
});
