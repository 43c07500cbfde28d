// Runs alone: it measures the memory of its process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { goodParts, hostileArchives, withProtection } from './hostile-archives.ts';
import { readDocument } from './read-and-write.ts';
import { assertRefused } from './refusal.ts';
import { sampleEpub3 } from './sample-books.ts';
import { makeZip } from './zip-maker.ts';

for (const [title, bytes, reason] of hostileArchives) {
  test(`refused soon and within 150 MiB: ${title}`, () => assertRefused(bytes(), reason));
}

test('a book cut off at any of 200 places is refused', () => {
  const whole = sampleEpub3();
  for (let i = 0; i < 200; i++) {
    const cut = whole.subarray(0, Math.floor((whole.length * i) / 200));
    assert.throws(
      () => readDocument(cut),
      (error: unknown) => error instanceof AppError && error.code === 'BAD_REQUEST',
      `${cut.length} bytes`,
    );
  }
});

test('a book with any byte changed is read or refused, never more', () => {
  const whole = sampleEpub3();
  for (let i = 0; i < 600; i++) {
    const bytes = Uint8Array.from(whole);
    const at = (i * 7919) % bytes.length;
    bytes[at] = ((bytes[at] ?? 0) + 1 + (i % 250)) % 256;
    try {
      readDocument(bytes);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'BAD_REQUEST', String(error));
    }
  }
});

test('a book with obfuscated fonts, data descriptors and a trailing comment is read', () => {
  const fonts = withProtection('http://www.idpf.org/2008/embedding');
  assert.ok(readDocument(fonts).document.totalCharacters > 0);
  const streamed = makeZip(goodParts().map((part) => ({ ...part, flags: 8 })));
  assert.ok(readDocument(streamed).document.totalCharacters > 0);
});
