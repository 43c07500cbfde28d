/** Asserts that a source is refused as the contract says: 400 with a stable reason, soon, and without eating memory. */
import assert from 'node:assert/strict';
import { sourceFaults } from '../../src/documents/source-faults.ts';
import { AppError } from '../../src/errors.ts';
import { readDocument } from './read-and-write.ts';

export function assertRefused(bytes: Uint8Array, reason: string | readonly string[], fileName = 'book.epub'): void {
  const started = process.cpuUsage();
  const before = process.memoryUsage().rss;
  const reasons: readonly string[] = typeof reason === 'string' ? [reason] : reason;
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
  );
  assertBounds(started, before);
}

/** Read without harm: nothing of the outside is in it. */
export function assertInert(bytes: Uint8Array, fileName: string, forbidden: RegExp): void {
  const started = process.cpuUsage();
  const before = process.memoryUsage().rss;
  const { document } = readDocument(bytes, { fileName });
  assert.doesNotMatch(JSON.stringify(document), forbidden);
  assertBounds(started, before);
}

/** Processor time, so that a busy machine does not fail what is fast. */
function assertBounds(started: NodeJS.CpuUsage, rssBefore: number): void {
  const used = process.cpuUsage(started);
  const elapsedMs = (used.user + used.system) / 1000;
  assert.ok(elapsedMs < 2000, `${Math.round(elapsedMs)} ms`);
  const grownMiB = (process.memoryUsage().rss - rssBefore) / 1024 / 1024;
  assert.ok(grownMiB < 150, `${Math.round(grownMiB)} MiB more memory`);
}
