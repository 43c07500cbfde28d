import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutputStore, type OutputsOf } from '../../src/books/store-outputs.ts';

test('a process that has read a hostile book cannot have any other file stored than those in its folder', async () => {
  for (const fileId of ['../secret', '/etc/hostname', 'translated/../../secret', 'a.b', '', 'Übersetzt', 'tmx']) {
    // Refused before anything else is looked at.
    const outputs = new OutputStore({ folder: '/tmp/book', task: { id: 'task' }, attempt: { number: 1 } } as OutputsOf);
    outputs.add({ fileId, extension: 'txt', mediaType: 'text/plain' });
    await assert.rejects(outputs.all(), /name that no output has/, fileId);
  }
});
