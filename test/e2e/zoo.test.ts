import { describe, test } from 'node:test';
import { behaviours } from '../support/zoo/animal.ts';
import { animals } from '../support/zoo/animals.ts';
import { proveAnimal, startZooApp } from '../support/zoo/zoo-app.ts';

const zooApp = await startZooApp();

// Every animal and every behaviour, twice; `npm run prove zoo` takes each with each.
describe('the whole book, what must be missing and no more, and the bill to the last token', { concurrency: 8 }, () => {
  for (const [place, animal] of animals.entries()) {
    const behaviour = behaviours[(place * 3) % behaviours.length] ?? 'plain';
    test(`${animal.name}, ${behaviour}`, async () => {
      await proveAnimal(zooApp, animal, behaviour);
    });
  }
});
