import { test } from 'node:test';
import { proveMalformed } from '../support/malformed-http.ts';
import { startTestApp } from '../support/test-app.ts';

test('3,000 damaged requests over bare sockets: no 5xx, the envelope and its headers on every answer, no stack, no banner', async (context) => {
  const app = await startTestApp({ role: 'api' });
  const { key } = await app.account({ rateLimitPerMinute: 100_000 });
  const seed = Date.now() % 2 ** 31;
  context.diagnostic(`seed ${seed}`);
  context.diagnostic(JSON.stringify(await proveMalformed(app, key, { count: 3_000, seed })));
});
