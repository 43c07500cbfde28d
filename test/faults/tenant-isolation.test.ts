import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveTenantsApart } from '../support/tenant-isolation.ts';
import { startTestApp } from '../support/test-app.ts';

test("every route × 2 tenants × 1,000 ids: another tenant's task and one that never was are the same 404, in the same time", async (context) => {
  const app = await startTestApp();
  const figures = await proveTenantsApart(app, { ids: 1_000 });
  context.diagnostic(JSON.stringify(figures));
  assert.ok(figures.medianDifferenceMs < 1, JSON.stringify(figures));
});
