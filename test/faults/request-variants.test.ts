import { test } from 'node:test';
import { proveVariants } from '../support/request-variants.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });

test('1,000 pairs: equivalent requests replay; a change of any one field or one byte conflicts and writes no row', async (context) => {
  const seed = Date.now() % 2 ** 31;
  context.diagnostic(`seed ${seed}`);
  await proveVariants(app, { runs: 1_000, seed });
});
