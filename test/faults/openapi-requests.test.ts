import { test } from 'node:test';
import { proveContract } from '../support/contract-fuzz.ts';
import { startTestApp } from '../support/test-app.ts';

test('5,000 requests that the OpenAPI document allows: no 5xx, at least 30 % 2xx per operation; 5,000 that it forbids: all 4xx', async (context) => {
  const app = await startTestApp();
  const seed = Date.now() % 2 ** 31;
  context.diagnostic(`seed ${seed}`);
  context.diagnostic(JSON.stringify(await proveContract(app, { valid: 5_000, invalid: 5_000, seed })));
});
