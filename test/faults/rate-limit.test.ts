import { after, test } from 'node:test';
import { proveBurst, proveGuessing, proveRetryAfter, proveSteady } from '../support/rate-limit-proofs.ts';
import { startTestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

const app = await startTestApp({ role: 'api' });
const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl, TOLEDO_PORT: '0' };
const processes = await Promise.all(Array.from({ length: 3 }, () => startServe(env, ['--role', 'api'])));
after(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
});
const urls = processes.map(({ rootUrl }) => rootUrl);

test('limit 60, 200 calls at once over three processes: exactly 60 pass, plus one per elapsed second; ten times', async (context) => {
  for (let round = 0; round < 10; round++) {
    const { key } = await app.account({ rateLimitPerMinute: 60 });
    context.diagnostic(JSON.stringify(await proveBurst(urls, key, 200, 60)));
  }
});

test('a call every second for two minutes against a limit of 60: none is refused', async (context) => {
  const { key } = await app.account({ rateLimitPerMinute: 60 });
  context.diagnostic(JSON.stringify(await proveSteady(urls, key, 60, 120)));
});

test('500 refusals: waiting exactly as long as told succeeds, a second less never does', async (context) => {
  const limit = 20;
  const figures: object[] = [];
  for (let round = 0; round < 10; round++) {
    const accounts = await Promise.all(Array.from({ length: 50 }, () => app.account({ rateLimitPerMinute: limit })));
    const keys = accounts.map(({ key }) => key);
    figures.push(await proveRetryAfter(urls[round % 3] as string, keys, limit));
  }
  context.diagnostic(JSON.stringify(figures));
});

test('10,000 guessed keys from one address are answered 429, and good keys from there do not feel it', async (context) => {
  const { key } = await app.account({ rateLimitPerMinute: 100_000 });
  context.diagnostic(JSON.stringify(await proveGuessing(urls[0] as string, key, 10_000)));
});
