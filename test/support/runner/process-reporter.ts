/** The reporter of a test process: sends every result to the runner. Loaded by `--test-reporter`. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { FromTestProcess } from './messages.ts';

// biome-ignore lint/correctness/useYield: what a reporter yields is printed; this one prints nothing
export default async function* reportToRunner(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, details, file, line } = data;
    const isSkipped = (data.skip ?? data.todo) !== undefined;
    send({
      kind: 'result',
      name,
      depth: nesting,
      isSuite: details.type === 'suite',
      outcome: type === 'test:fail' ? 'failed' : isSkipped ? 'skipped' : 'passed',
      durationMs: details.duration_ms,
      place: file === undefined ? '' : `${relative('', file)}:${line}`,
      fault: type === 'test:fail' ? inWords(data.details.error) : '',
    });
  }
}

function inWords(error: Error & { failureType?: string }): string {
  if (error.failureType === 'subtestsFailed') return '';
  return inspect(error.cause ?? error, { depth: 6, maxStringLength: 20_000 });
}

function send(message: FromTestProcess): void {
  process.send?.(message);
}
