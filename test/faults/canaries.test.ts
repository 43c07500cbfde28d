import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveSilence } from '../support/silence-proof.ts';

test('500 marked secrets through whole tasks, engine faults, hostile requests and faults of ours: in no log, metric, trace or error body', async (context) => {
  const figures = await proveSilence({ tasks: 40 });
  context.diagnostic(JSON.stringify(figures));
  assert.ok(figures.canaries >= 500, `${figures.canaries} canaries`);
});
