import { strict as assert } from 'node:assert';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ rateLimitPerMinute: 100_000 });
const port = Number(new URL(app.rootUrl).port);

/** Sends raw bytes and returns everything that comes back until the server closes or is silent for a while. */
function exchange(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(400, done);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('close', done);
    socket.on('error', done);
    socket.write(bytes);
    if (!bytes.includes('\r\n\r\n')) socket.end();
  });
}

function assertEnvelope(answer: string, sent: string): number | undefined {
  if (answer === '') return undefined;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  const [head, body] = [answer.slice(0, answer.indexOf('\r\n\r\n')), answer.slice(answer.indexOf('\r\n\r\n') + 4)];
  assert.ok(status < 500, `${status} for ${sent}`);
  assert.match(head, /x-request-id: req_/i, sent);
  assert.match(head, /x-content-type-options: nosniff/i, sent);
  if (status >= 400 && !sent.startsWith('HEAD')) {
    const parsed = JSON.parse(
      /content-length: (\d+)/i.exec(head) ? body.slice(0, Number(/content-length: (\d+)/i.exec(head)?.[1])) : body,
    );
    assert.equal(parsed.success, false, sent);
    assert.equal(typeof parsed.error.code, 'string', sent);
  }
  return status;
}

const request = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
const auth = `Authorization: Bearer ${key}`;

const cases: [string, string, number[]][] = [
  ['not HTTP at all', 'hello\r\n\r\n', [400]],
  ['no Host', request('GET /api/v1/usage HTTP/1.1', auth), [400]],
  [
    'Content-Length and chunked',
    request('POST /api/v1/usage HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    [400],
  ],
  [
    'two Content-Lengths',
    request('POST /healthz HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2'),
    [400],
  ],
  ['two Authorization headers', request('GET /api/v1/usage HTTP/1.1', 'Host: x', auth, auth), [400]],
  [
    'two Idempotency-Key headers',
    request('GET /api/v1/usage HTTP/1.1', 'Host: x', auth, 'Idempotency-Key: a', 'Idempotency-Key: a'),
    [400],
  ],
  ['huge header', request('GET /api/v1/usage HTTP/1.1', 'Host: x', `X-Big: ${'a'.repeat(20_000)}`), [400]],
  ['space in header name', request('GET /healthz HTTP/1.1', 'Host: x', 'Bad Name: 1'), [400]],
  ['TRACE', request('TRACE /healthz HTTP/1.1', 'Host: x'), [405]],
  ['CONNECT', request('CONNECT example.com:443 HTTP/1.1', 'Host: x'), [405]],
  ['unknown method', request('BREW /healthz HTTP/1.1', 'Host: x'), [400]],
  ['Expect', request('GET /healthz HTTP/1.1', 'Host: x', 'Expect: miracles'), [400]],
  ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['OPTIONS *', request('OPTIONS * HTTP/1.1', 'Host: x'), [400, 404]],
  ['absolute form', request('GET http://evil.example/api/v1/usage HTTP/1.1', 'Host: x'), [400, 401, 404]],
  ['bare LF', 'GET /healthz HTTP/1.1\nHost: x\n\n', [400, 200]],
  ['NUL in path', request('GET /api/v1/us\0age HTTP/1.1', 'Host: x'), [400]],
  ['bad chunk', `${request('POST /api/v1/usage HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked')}zz\r\n`, [400, 405]],
];
for (const [name, bytes, statuses] of cases) {
  test(`${name} is answered ${statuses.join(' or ')} in the envelope`, async () => {
    const status = assertEnvelope(await exchange(Buffer.from(bytes, 'latin1')), bytes.slice(0, 80));
    assert.ok(status !== undefined && statuses.includes(status), `got ${status}`);
  });
}

test('1,000 mutated requests: no 5xx, always the envelope, and the server still answers', async () => {
  const seed = 20261115;
  const random = mulberry32(seed);
  const base = Buffer.from(
    request('GET /api/v1/usage?x=1 HTTP/1.1', 'Host: 127.0.0.1', auth, 'Accept: */*', 'Connection: close'),
    'latin1',
  );
  for (let batch = 0; batch < 25; batch++) {
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const mutated = mutate(base, random);
        assertEnvelope(await exchange(mutated), mutated.toString('latin1').slice(0, 120));
      }),
    );
  }
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200, `seed ${seed}`);
});

function mutate(base: Buffer, random: () => number): Buffer {
  const bytes = [...base];
  for (let i = 0; i <= random() * 4; i++) {
    const at = Math.floor(random() * bytes.length);
    const kind = Math.floor(random() * 4);
    if (kind === 0) bytes[at] = Math.floor(random() * 256);
    else if (kind === 1) bytes.splice(at, 1 + Math.floor(random() * 5));
    else if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + 20));
    else bytes.splice(at, 0, ...[13, 10, 0, 58, 32, 255].slice(Math.floor(random() * 6)));
  }
  return Buffer.from(bytes);
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
