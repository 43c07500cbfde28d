import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/test-app.ts';

test('with TOLEDO_METRICS_ACCESS=operator-token metrics ask for the operator token', async () => {
  const token = 'operator-token-of-at-least-32-characters';
  const app = await startTestApp({
    env: { TOLEDO_METRICS_ACCESS: 'operator-token', TOLEDO_OPERATOR_TOKEN: token },
    role: 'api',
  });
  const scrape = (authorization?: string) =>
    fetch(`${app.rootUrl}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
  assert.equal((await scrape()).status, 401);
  assert.equal((await scrape(`Bearer ${token}x`)).status, 401);
  assert.equal((await scrape(`Bearer ${token}`)).status, 200);
});

test('with TOLEDO_METRICS_PORT metrics are on that port only', async () => {
  const port = await freePort();
  const app = await startTestApp({ env: { TOLEDO_METRICS_PORT: String(port) }, role: 'api' });
  assert.equal((await fetch(`${app.rootUrl}/metrics`)).status, 404);
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.match(await metrics.text(), /toledo_http_requests_total/);
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/usage`)).status, 404);
});
