import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { runExample } from '../support/examples.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');

test('the example in TypeScript translates a book and leads to the reader', async () => {
  const { stdout, written } = await runExample(process.execPath, 'translate-book.ts', { rootUrl: app.rootUrl, key });
  assert.match(written, /^# /);
  const [, link = ''] = /Read it at (\S+)/.exec(stdout) ?? [];
  assert.equal((await fetch(link)).status, 200);
});
