/**
 * One process that runs test files one after another, as the runner hands them out. Each file is a suite of its own, so its
 * hooks run when its tests have ended. What files share is opened once for the process and closed, with the audit, at its end.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { closeSharedParts, keepSharedParts } from '../shared-parts.ts';
import type { FromTestProcess, ToTestProcess } from './messages.ts';

/** A timer that somebody forgot would hold up the whole run for ever. */
const fileLimitMs = 20 * 60_000;
const closingLimitMs = 60_000;

// The test library tells of errors outside of tests when this process can no longer pass it on.
for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'])
  process.on(event, (error: unknown) => process.connected && send({ kind: 'stray-error', text: inspect(error) }));
keepSharedParts();
for (let file = await nextFile(); file !== undefined; file = await nextFile()) {
  const limit = giveUpAfter(fileLimitMs, file);
  const url = pathToFileURL(resolve(file)).href;
  await suite(file, async () => void (await import(url)));
  // The processes that start next need not compile it again.
  flushCompileCache();
  clearTimeout(limit);
}
giveUpAfter(closingLimitMs, 'The end of a test process').unref();
await closeSharedParts();
send({ kind: 'closed' });
process.disconnect?.();

async function nextFile(): Promise<string | undefined> {
  const answer = once(process, 'message') as Promise<[ToTestProcess]>;
  send({ kind: 'ready' });
  const [message] = await answer;
  return 'file' in message ? message.file : undefined;
}

function giveUpAfter(limitMs: number, what: string): NodeJS.Timeout {
  return setTimeout(() => {
    const waitsFor = process.getActiveResourcesInfo().join(', ');
    writeSync(2, `${what} has not ended after ${limitMs / 60_000} minutes. It waits for: ${waitsFor}\n`);
    process.exit(1);
  }, limitMs);
}

function send(message: FromTestProcess): void {
  process.send?.(message);
}
