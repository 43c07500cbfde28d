/**
 * Requests that are damaged in one to five places, over bare sockets, are answered in the envelope and never with a
 * 5xx. Size: requests.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertEnvelope, exchange, request } from '../support/bare-http.ts';
import { randomNumbers } from '../support/hostile-inputs.ts';
import { proofRun } from '../support/proof.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { size: count, seed } = proofRun({ short: 600, long: 3_000, seed: 20261115 });

test(`${count} damaged requests over bare sockets: no 5xx, the envelope and its headers on every answer, no stack, no banner`, async (context) => {
  const app = await startTestApp({ role: 'api' });
  const { key } = await app.account({ rateLimitPerMinute: 100_000 });
  context.diagnostic(JSON.stringify(await proveMalformed(app, key, { count, seed })));
});

/** Good and bad requests damaged in one to five places. */
async function proveMalformed(
  app: TestApp,
  key: string,
  { count, seed }: { count: number; seed: number },
): Promise<Record<string, number>> {
  const port = Number(new URL(app.rootUrl).port);
  const bases = basesOf(key).map((text) => Buffer.from(text, 'latin1'));
  const statuses: Record<string, number> = {};
  const numbers = Array.from({ length: count }, (_, i) => i).values();
  const client = async () => {
    for (const n of numbers) {
      const sent = damage(bases[n % bases.length] as Buffer, seed + n);
      const status = assertEnvelope(await exchange(port, sent), sent.toString('latin1').slice(0, 200));
      statuses[status ?? 'closed'] = (statuses[status ?? 'closed'] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 40 }, client));
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200, `seed ${seed}`);
  return statuses;
}

function basesOf(key: string): string[] {
  const auth = `Authorization: Bearer ${key}`;
  const host = 'Host: 127.0.0.1';
  const json = '{"action":"token_estimate","text":"The lamp was out."}';
  const sized = `Content-Length: ${json.length}`;
  const chunked = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
  const type = 'Content-Type: application/json';
  const close = 'Connection: close';
  return [
    request('GET /api/v1/usage?x=1 HTTP/1.1', host, auth, 'Accept: */*', close),
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, sized, close) + json,
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, 'Transfer-Encoding: chunked', close) + chunked,
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, sized, 'Transfer-Encoding: chunked', close) + chunked,
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, 'Transfer-Encoding: chunked, identity', close) + chunked,
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, sized, 'Content-Length: 1', close) + json,
    request('GET /api/v1/usage HTTP/1.1', host, auth, auth, close),
    request('POST /api/v1/tasks HTTP/1.1', host, auth, 'Idempotency-Key: a', 'Idempotency-Key: b', type, sized, close) +
      json,
    request('GET /api/v1/tasks/%ff%fe/download HTTP/1.1', host, auth, close),
    request('GET /api/v1/tasks/../../../etc/passwd HTTP/1.1', host, auth, close),
    request('TRACE /api/v1/usage HTTP/1.1', host, auth, close),
    request('OPTIONS * HTTP/1.1', host, close),
    request('GET /api/v1/usage HTTP/1.1', host, auth, `X-Big: ${'a'.repeat(15_900)}`, close),
    request('GET /api/v1/usage HTTP/1.0', auth),
    request('GET http://other.example/api/v1/usage HTTP/1.1', host, auth, close),
    request('GET /api/v1/usage HTTP/1.1', host, 'Host: other.example', auth, close),
    request('GET /api/v1/usage HTTP/1.1', host, auth, 'Upgrade: websocket', 'Connection: Upgrade'),
    request('POST /api/v1/tasks HTTP/1.1', host, auth, type, sized, 'Expect: 100-continue', close) + json,
  ];
}

function damage(base: Buffer, seed: number): Buffer {
  const random = randomNumbers(seed);
  const bytes = [...base];
  for (let i = random(5); i > 0; i--) {
    const at = random(bytes.length);
    const kind = random(4);
    if (kind === 0) bytes[at] = random(256);
    else if (kind === 1) bytes.splice(at, 1 + random(5));
    else if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + 20));
    else bytes.splice(at, 0, ...[13, 10, 0, 58, 32, 255].slice(random(6)));
  }
  return Buffer.from(bytes);
}
