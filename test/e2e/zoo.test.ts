import { describe, test } from 'node:test';
import { type Animal, behaviours } from '../support/zoo/animal.ts';
import { animals } from '../support/zoo/animals.ts';
import { proveAnimal, startZooApp } from '../support/zoo/zoo-app.ts';

const zooApp = await startZooApp();

// Every behaviour once; `npm run prove zoo` takes every animal with each.
describe('the whole book, what must be missing and no more, and the bill to the last token', { concurrency: 8 }, () => {
  for (const [place, behaviour] of behaviours.entries()) {
    const animal = animals[place * 2] as Animal;
    test(`${animal.name}, ${behaviour}`, async () => {
      await proveAnimal(zooApp, animal, behaviour);
    });
  }
});
