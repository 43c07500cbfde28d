/**
 * Loaded before every test file: ends one that does not end by itself, and tells what it waits for. A timer that somebody
 * forgot would hold up the whole run for ever, and the test runner's own limit does not see it.
 */
import { writeSync } from 'node:fs';

const limitMinutes = 10;

if (process.env.NODE_TEST_CONTEXT !== undefined) setTimeout(giveUp, limitMinutes * 60_000).unref();

function giveUp(): void {
  const waitsFor = process.getActiveResourcesInfo().join(', ');
  writeSync(2, `${process.argv[1]} has not ended after ${limitMinutes} minutes. It waits for: ${waitsFor}\n`);
  process.exit(1);
}
