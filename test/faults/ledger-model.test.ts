import { test } from 'node:test';
import { proveModel } from '../support/ledger-model.ts';
import { proveOneResolution } from '../support/resolution-races.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });

test('300 random histories of up to 50 commands equal an in-memory model after every command', async (context) => {
  const seed = Date.now() % 2 ** 31;
  context.diagnostic(`seed ${seed}`);
  await proveModel(app, { runs: 300, maxCommands: 50, seed });
});

test('1,000 tasks, each completed twice, failed twice and cancelled at once: exactly 1,000 resolutions', async (context) => {
  context.diagnostic(JSON.stringify(await proveOneResolution(app, 1_000)));
});
