import { test } from 'node:test';
import { proveServiceMutations } from '../support/service-mutations.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });

test('200 damaged forms to the real service: no 5xx, no answer later than 5 s, no file left but those of tasks', async (context) => {
  context.diagnostic(JSON.stringify(await proveServiceMutations(app, 300, 200)));
});
