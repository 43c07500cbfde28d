import { test } from 'node:test';
import { proveNames } from '../support/name-proof.ts';

test('forty characters keep their names through 300,000 characters, through the whole API', async () => {
  console.log(JSON.stringify(await proveNames(300_000)));
});
