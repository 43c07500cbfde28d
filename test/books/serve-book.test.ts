import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { type ServedBook, serveBook } from '../../src/books/serve-book.ts';

test('a book’s process reaches the calls that translate and nothing else of the engines', async () => {
  const called: string[] = [];
  const engines = new Proxy({}, { get: (_target, name) => async () => void called.push(String(name)) });
  const writes = { countSent: () => {} };
  const host = serveBook({ deps: { engines }, task: { sandbox: false }, writes } as unknown as ServedBook);
  const ask = (kind: string) => host.ask({ kind, request: {} } as never, new AbortController().signal);
  for (const kind of ['close', 'compare', 'status', 'constructor', '__proto__'])
    await assert.rejects(ask(kind), /a book cannot ask engines/, kind);
  const served = ['translate', 'extractTerms', 'writeSheet', 'edit'];
  for (const kind of served) await ask(kind);
  assert.deepEqual(called, served);
});
