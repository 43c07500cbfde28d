import { test } from 'node:test';
import { proveModel } from '../support/ledger-model.ts';
import { proveOneResolution } from '../support/resolution-races.ts';
import { startTestApp } from '../support/test-app.ts';

// Without a worker: the histories play the worker's part themselves.
const app = await startTestApp({ role: 'api' });

test('ledger and states equal an in-memory model after every one of many random commands', async () => {
  await proveModel(app, { runs: 8, maxCommands: 40, seed: 20_260_102 });
});

test('40 tasks, each completed twice, failed twice and cancelled at once: exactly 40 resolutions', async (context) => {
  context.diagnostic(JSON.stringify(await proveOneResolution(app, 40)));
});
