import { test } from 'node:test';
import { proveSilence } from '../support/silence-proof.ts';

test('keys, signatures, text, terms and names are in no log, metric, trace or error body, whatever goes wrong', async (context) => {
  context.diagnostic(JSON.stringify(await proveSilence({ tasks: 4 })));
});
