import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertEnvelope, crawl, exchange, request } from '../support/bare-http.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ rateLimitPerMinute: 100_000 });
const port = Number(new URL(app.rootUrl).port);

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
  ['two Host headers', request('GET /api/v1/usage HTTP/1.1', 'Host: x', 'Host: y', auth), [400]],
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
    const status = assertEnvelope(await exchange(port, Buffer.from(bytes, 'latin1')), bytes.slice(0, 80));
    assert.ok(status !== undefined && statuses.includes(status), `got ${status}`);
  });
}

test('a client refused before its body was read cannot hold the connection by sending the body slowly', async () => {
  const body = 'Content-Type: application/json\r\nContent-Length: 5000';
  const refused = [
    request('POST /api/v1/tasks HTTP/1.1', 'Host: x', body),
    request('POST /nowhere HTTP/1.1', 'Host: x', body),
    request('POST /api/v1/usage HTTP/1.1', 'Host: x', auth, body),
  ];
  const times = await Promise.all(refused.map((bytes) => crawl(port, bytes, 200, 20_000)));
  assert.ok(Math.max(...times) < 10_000, `${times}`);
});
