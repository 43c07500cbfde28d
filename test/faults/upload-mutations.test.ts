import { test } from 'node:test';
import { proveMutations } from '../support/upload-mutations.ts';

test('2,000 damaged forms: no 5xx, no answer later than 5 s, no part dropped, no file left', async (context) => {
  context.diagnostic(JSON.stringify(await proveMutations(1, 2_000)));
});
