import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineAlerts } from '../../src/operators/engine-outages.ts';

const healthy = {
  ...{ process: 'one', engine: 'house', state: 'closed', pausedSeconds: 0, limit: 4, inFlight: 0, waiting: 0 },
  ...{ lastFault: 'connect ETIMEDOUT', lastFaultAt: new Date(0), overBudget: false },
};

test('an engine is down until it has answered, also while it is asked again', () => {
  assert.deepEqual(engineAlerts([healthy]), []);
  for (const state of ['open', 'probing'])
    assert.deepEqual(engineAlerts([{ ...healthy, state }]), ['house is down; its tasks wait: connect ETIMEDOUT']);
  assert.deepEqual(engineAlerts([healthy, { ...healthy, process: 'two', state: 'probing' }]), [
    'house is down for 1 of 2 workers; its tasks wait: connect ETIMEDOUT',
  ]);
});
