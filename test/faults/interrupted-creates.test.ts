/** Create calls that are cut off: `npm run test:interrupted-creates`. Numbers after it: lost answers (500), kills (100), seed. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proveApiKills, proveLostAnswers } from '../support/interrupted-creates.ts';

const losses = Number(process.argv[2] ?? 500);
const kills = Number(process.argv[3] ?? 100);
const seed = Number(process.argv[4] ?? 17);

test(`${losses} answers lost at a random byte, retried with the same key: one task and one hold per key`, async (t) => {
  const cluster = await startFaultCluster();
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const found = await proveLostAnswers(cluster, apis, { losses, clients: 6, seed });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(found)}`);
  assert.ok(found.cutInTheMiddle > losses / 2);
});

test(`${kills} times kill -9 of an API up to 300 ms into create calls: one task and one hold per key, nothing left behind`, async (t) => {
  const cluster = await startFaultCluster();
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const found = await proveApiKills(cluster, { kills, createsPerKill: 6, seed, apis });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(found)}`);
  assert.ok(found.nothingDone > 0 && (found.committedUnanswered > 0 || kills < 20), 'the kills met every phase');
});
