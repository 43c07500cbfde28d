import { strict as assert } from 'node:assert';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { createLog } from '../../src/platform/log.ts';
import { startTestApp } from '../support/test-app.ts';

const lines: string[] = [];
const logDestination = { write: (line: string) => void lines.push(line) };
const app = await startTestApp({ env: { TOLEDO_LOG_LEVEL: 'debug' }, logDestination });
const { key } = await app.account({ credits: 100_000 });

/** Every marked value that was sent; none may be found in a log line. */
const canaries: string[] = [key, key.slice(9)];
const canary = (kind: string) => {
  const value = `canary${canaries.length}${kind}`;
  canaries.push(value);
  return value;
};
const assertSilent = () => {
  const log = lines.join('');
  for (const value of canaries) assert.ok(!log.includes(value), `${value} is in the log`);
};
after(assertSilent);

test('header values, paths, queries and bad keys of refused requests are in no log line at debug level', async () => {
  const badKey = generateApiKey('live');
  canaries.push(badKey, badKey.slice(9));
  await app.call('GET', '/api/v1/usage', { key: badKey });
  await app.call('GET', '/api/v1/usage', { key: canary('key') });
  await app.call('GET', '/api/v1/usage', { headers: { authorization: `Basic ${canary('basic')}` } });
  await app.call('GET', `/api/v1/${canary('path')}`, { key });
  await app.call('GET', `/${canary('root')}?token=${canary('query')}`);
  await app.call('PATCH', `/api/v1/usage?${canary('name')}=${canary('value')}`, { key, body: canary('body') });
  await app.call('GET', `/api/v1/%ff${canary('encoding')}`, { key });
  for (const name of ['cookie', 'idempotency-key', 'x-request-id', 'user-agent', 'referer', 'x-forwarded-for']) {
    await app.call('GET', '/api/v1/usage', { key, headers: { [name]: canary('header') } });
  }
  assertSilent();
});

test('texts, file names, glossaries, task ids and signatures that partners send are in no log line', async () => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
    await app.call('POST', '/api/v1/tasks', { key, headers: { 'content-type': type }, body: canary('broken') });
  }
  const form = new FormData();
  form.set('action', 'token_estimate');
  form.set('estimated_chars', '50');
  form.set('glossary', JSON.stringify({ [canary('term')]: canary('rendering') }));
  form.set('file', new Blob([`Once upon a time there was ${canary('text')}.`]), `${canary('file')}.txt`);
  await app.call('POST', '/api/v1/tasks', { key, body: form, headers: { 'idempotency-key': canary('idempotency') } });
  const fields = { action: canary('action'), text: canary('text'), target_lang: canary('lang') };
  await app.call('POST', '/api/v1/tasks', { key, body: new URLSearchParams(fields) });
  await app.call('GET', `/api/v1/tasks/${canary('task')}`, { key });
  await app.call('GET', `/api/v1/tasks?external_id=${canary('external')}&cursor=${canary('cursor')}`, { key });
  await app.call('GET', `/api/tasks/download-file/${canary('task')}?signature=${canary('signature')}&expires=1`);
  assertSilent();
});

test('what cannot be parsed as HTTP is in no log line', async () => {
  const { port } = new URL(app.rootUrl);
  for (const raw of [
    `GET /${canary('raw')} HTTP/9.9\r\n\r\n`,
    `${canary('line')}\r\n\r\n`,
    `GET / HTTP/1.1\r\nbad header ${canary('bad')}\r\n\r\n`,
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(raw));
      socket.resume().on('close', () => resolve());
      socket.on('error', () => {});
    });
  }
  assertSilent();
});

test('a fault of ours is logged without what the partner sent', async () => {
  // A table that goes missing makes the next admission fail inside PostgreSQL, with the key's hash among its values.
  await app.application.database.pool.query('alter table rate_limits rename to rate_limits_away');
  try {
    const headers = { 'user-agent': canary('agent') };
    const { status, text } = await app.call('GET', `/api/v1/usage?q=${canary('fault')}`, { key, headers });
    assert.equal(status, 500);
    assert.doesNotMatch(text, /rate_limits/);
  } finally {
    await app.application.database.pool.query('alter table rate_limits_away rename to rate_limits');
  }
  assert.ok(lines.some((line) => line.includes('request failed')));
  assertSilent();
});

test('requests are logged by route and account, so the silence above is not an empty log', () => {
  const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
  assert.ok(requests.length > 15, `${requests.length} lines`);
  assert.ok(requests.some((line) => line.route === '/api/v1/usage' && line.account?.startsWith('acc_')));
});

test('a request or error that carries more than it should is censored by the log itself', () => {
  const written: string[] = [];
  const log = createLog('debug', { write: (line) => void written.push(line) });
  const secret = 'canary of the second fence';
  log.info(
    { headers: { authorization: secret }, body: secret, authorization: secret, request: { headers: secret } },
    'x',
  );
  log.error({ err: Object.assign(new Error('fault'), { detail: secret, where: secret, parameters: [secret] }) }, 'x');
  assert.equal(written.length, 2);
  assert.ok(!written.join('').includes(secret), written.join(''));
});
