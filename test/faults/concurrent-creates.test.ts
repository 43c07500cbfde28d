import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveNoOverdraft } from '../support/overdraft-proof.ts';
import { proveReplays } from '../support/replay-proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

test('200 keys × 100 simultaneous identical creates over two API processes: 200 tasks, 200 holds, 19,800 identical replays', async (context) => {
  const app = await startTestApp({ role: 'api' });
  const env = {
    TOLEDO_DATA_DIR: app.dataDir,
    TOLEDO_DATABASE_URL: app.databaseUrl,
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'warn',
  };
  const processes = await Promise.all([startServe(env, ['--role', 'api']), startServe(env, ['--role', 'api'])]);
  context.after(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
  });
  const { id, key } = await app.account({ credits: 10_000_000, rateLimitPerMinute: 100_000 });
  const urls = processes.map(({ rootUrl }) => rootUrl);
  const figures = await proveReplays({ urls, key, keys: 200, copies: 100, sockets: 64 });
  const { rows } = await app.application.database.pool.query(
    `select (select count(*)::int from tasks where account_id = $1) as tasks,
         (select count(*)::int from credit_holds where account_id = $1) as holds,
         (select count(*)::int from pgboss.job) as jobs`,
    [id],
  );
  assert.deepEqual(rows[0], { tasks: 200, holds: 200, jobs: 200 });
  context.diagnostic(JSON.stringify(figures));
  for (const { child } of processes) child.kill('SIGTERM');
  for (const { exited } of processes) assert.deepEqual(await exited, { code: 0, signal: null });
});

test('10,000 concurrent creates on one balance: exactly as many succeed as it covers, and it is never overdrawn', async (context) => {
  const app = await startTestApp({ role: 'api' });
  context.diagnostic(JSON.stringify(await proveNoOverdraft(app, { creates: 10_000, affordable: 6_666, sockets: 64 })));
});
