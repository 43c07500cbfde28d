/** Asserts that a source is refused as the contract says: 400 with a stable reason, soon, and without eating memory. */
import assert from 'node:assert/strict';
import { sourceFaults } from '../../src/documents/source-faults.ts';
import { AppError } from '../../src/errors.ts';
import { bookWithPage, utf8, xhtml } from './hostile-xml.ts';
import { readDocument } from './read-and-write.ts';

/** Reading a novel of 20,000 paragraphs takes half a second on the machines that were measured; a hostile source at most so many times as long. */
const novelsOfTime = 4;
const looks = 5;

export function assertRefused(bytes: Uint8Array, reason: string | readonly string[], fileName = 'book.epub'): void {
  const reasons: readonly string[] = typeof reason === 'string' ? [reason] : reason;
  assertBounds(() =>
    assert.throws(
      () => readDocument(bytes, { fileName }),
      (error: unknown) => {
        assert.ok(error instanceof AppError, String(error));
        assert.equal(error.code, 'BAD_REQUEST');
        assert.ok(
          reasons.includes(String(error.details?.reason)),
          `${error.details?.reason}, not ${reasons.join(' or ')}`,
        );
        assert.ok(String(error.details?.reason) in sourceFaults);
        assert.equal(error.details?.field, 'file');
        return true;
      },
    ),
  );
}

/** Read without harm: nothing of the outside is in it. */
export function assertInert(bytes: Uint8Array, fileName: string, forbidden: RegExp): void {
  assertBounds(() => {
    const { document } = readDocument(bytes, { fileName });
    assert.doesNotMatch(JSON.stringify(document), forbidden);
  });
}

/** Compared with an ordinary novel, because a machine that is slow with the one is slow with the other, and looked at again when over. */
function assertBounds(read: () => void): void {
  const before = process.memoryUsage().rss;
  let elapsedMs = processorTime(read);
  const grownMiB = (process.memoryUsage().rss - before) / 1024 / 1024;
  assert.ok(grownMiB < 150, `${Math.round(grownMiB)} MiB more memory`);
  // Less than any machine takes for a novel: not worth a comparison.
  if (elapsedMs < 200) return;
  const novel = ordinaryNovel();
  const ratios: number[] = [];
  for (let look = 0; look < looks; look++) {
    const ratio = elapsedMs / processorTime(() => readDocument(novel, { fileName: 'novel.epub' }));
    if (ratio <= novelsOfTime) return;
    ratios.push(ratio);
    elapsedMs = processorTime(read);
  }
  assert.fail(`${ratios.map((ratio) => ratio.toFixed(1)).join(', ')} times as long as an ordinary novel`);
}

function ordinaryNovel(): Uint8Array {
  return bookWithPage(utf8(xhtml('<p>Some <i>ordinary</i> words of a novel.</p>'.repeat(20_000))));
}

function processorTime(work: () => void): number {
  const started = process.cpuUsage();
  work();
  const used = process.cpuUsage(started);
  return (used.user + used.system) / 1000;
}
