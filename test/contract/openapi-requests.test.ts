import { test } from 'node:test';
import { proveContract, proveMethodsAndKeys } from '../support/contract-fuzz.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();

test('what the OpenAPI document allows is never a fault of ours; what it forbids is always 4xx in the envelope', async (context) => {
  context.diagnostic(JSON.stringify(await proveContract(app, { valid: 130, invalid: 160, seed: 7 })));
});

test('every other method is 405 with Allow, and every operation behind the guard is 401 without a key', async (context) => {
  context.diagnostic(JSON.stringify(await proveMethodsAndKeys(app)));
});
