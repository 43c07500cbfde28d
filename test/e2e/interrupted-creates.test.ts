/** The short form of `npm run test:interrupted-creates`. */
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proveApiKills, proveLostAnswers } from '../support/interrupted-creates.ts';

test('answers lost at a random byte, and an API killed in the middle of create calls: one task and one hold per key', async () => {
  const cluster = await startFaultCluster();
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await proveLostAnswers(cluster, apis, { losses: 10, clients: 2, seed: 2 });
  await proveApiKills(cluster, { kills: 1, createsPerKill: 4, seed: 2, apis });
});
