/**
 * GET /usage (authentication, rate limit and balance in one statement) as a share of a bare Fastify route that does
 * one indexed select through the same pool. Both run in this process and take turns, so noise falls on both.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import fastify from 'fastify';
import { createApplication } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createAccount } from '../src/operators/account-changes.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { addRow, median } from './rows.ts';

const rounds = Number(process.argv[2] ?? 12);
const seconds = 1;
const connections = 20;

const dataDir = await mkdtemp(join(tmpdir(), 'toledo-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
const config = loadConfig({ TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'warn' });
const application = await createApplication({ config, databaseUrl: postgres.url, role: 'api', log: createLog('warn') });
const { port } = await application.listen();

// Several keys, as several partners would: one row per key is updated, so a single key would measure lock waits.
const keys = await Promise.all(
  Array.from({ length: 20 }, async (_, i) => {
    const account = {
      name: `bench ${i}`,
      rateLimitPerMinute: 100_000,
      billingPeriod: 'monthly',
      credits: 1_000,
    } as const;
    return await createAccount(application.database.db, 'test', account, application.secrets.keyPepper);
  }),
);

const bare = fastify();
bare.get('/bare', async () => {
  const { rows } = await application.database.pool.query('select id, name, created_at from accounts where id = $1', [
    keys[0]?.account.id,
  ]);
  return { success: true, data: rows[0] };
});
await bare.listen({ host: '127.0.0.1', port: 0 });
const barePort = (bare.server.address() as { port: number }).port;

const results: { bare: number[]; usage: number[] } = { bare: [], usage: [] };
for (let round = 0; round <= rounds; round++) {
  const bareRate = await requestsPerSecond({ url: `http://127.0.0.1:${barePort}/bare` });
  const usageRate = await requestsPerSecond({
    url: `http://127.0.0.1:${port}/api/v1/usage`,
    requests: keys.map(({ key }) => ({ headers: { authorization: `Bearer ${key}` } })),
  });
  if (round === 0) continue; // warm-up
  results.bare.push(bareRate);
  results.usage.push(usageRate);
}
const shares = results.usage.map((rate, round) => rate / (results.bare[round] ?? rate));
const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
process.stdout.write(`bare route with one select: ${results.bare.map(Math.round).join(' / ')} requests/s\n`);
process.stdout.write(`GET /usage:                 ${results.usage.map(Math.round).join(' / ')} requests/s\n`);
process.stdout.write(`share by round:             ${shares.map(percent).join(' / ')}\n`);
process.stdout.write(`median share: ${percent(median(shares))}   goal ≥ 70 %\n`);
addRow({
  name: 'GET /usage',
  value: median(shares) * 100,
  unit: '% of a bare route',
  goal: { atLeast: 70 },
  limit: '100: a Fastify route with one indexed select through the same pool, in turns in the same run',
});

await bare.close();
await application.stop();
await postgres.stop();
await rm(dataDir, { recursive: true, force: true });

async function requestsPerSecond(options: { url: string; requests?: autocannon.Request[] }): Promise<number> {
  const result = await autocannon({ ...options, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} errors`);
  return result.requests.average;
}
