/**
 * Every provider of the zoo with every behaviour: a whole task is completed, exactly the paragraphs that must be missing are, calls stay
 * few, and our sum of tokens and money is the server's bill. Size: pairs of provider and behaviour.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { behaviours } from '../support/zoo/animal.ts';
import { animals } from '../support/zoo/animals.ts';
import { proveAnimal, startZooApp, type ZooRow } from '../support/zoo/zoo-app.ts';

const { size, names } = proofRun({ short: 16, long: animals.length * behaviours.length });
const zooApp = await startZooApp();
// Those that come first, which are all of a short run, have every animal once and every behaviour twice.
const chosen = behaviours
  .flatMap((_, turn) =>
    animals.map((animal, place) => ({
      animal,
      behaviour: behaviours[(place * 3 + turn) % behaviours.length] ?? 'plain',
    })),
  )
  .filter(
    ({ animal, behaviour }) => names.length === 0 || names.some((name) => `${animal.name} ${behaviour}`.includes(name)),
  )
  .slice(0, size);

test(`${chosen.length} pairs of a provider and a behaviour end as they must`, async () => {
  const rows: ZooRow[] = [];
  const faults: string[] = [];
  const left = [...chosen];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { animal, behaviour } = next;
      // Each animal is told one thing at a time, so no two pairs of one are on their way at once.
      try {
        rows.push(await proveAnimal(zooApp, animal, behaviour));
      } catch (error) {
        faults.push((error as Error).message);
      }
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  console.table(rows.toSorted((a, b) => `${a.behaviour} ${a.animal}`.localeCompare(`${b.behaviour} ${b.animal}`)));
  assert.deepEqual(faults, []);
});
