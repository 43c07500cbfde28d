/** What a run of tests prints: how far it is, every failure at once, and at the end the slowest files and the sums. */
import type { FileResult } from './run-files.ts';

const slowestShown = 10;

export class RunReport {
  readonly #files: number;
  readonly #listsTests: boolean;
  readonly #startedMs = performance.now();
  readonly #running = new Set<string>();
  readonly #done: FileResult[] = [];

  /** @param listsTests every title; else only those that failed */
  constructor(files: number, listsTests: boolean) {
    this.#files = files;
    this.#listsTests = listsTests;
  }

  get hasFailed(): boolean {
    return this.#done.some(({ passed }) => !passed) || this.#done.length < this.#files;
  }

  start(file: string): void {
    this.#running.add(file);
    this.#showProgress();
  }

  end(result: FileResult): void {
    this.#running.delete(result.file);
    this.#done.push(result);
    const { file, tests, passed, durationMs, output } = result;
    const mark = passed ? '✔' : '✖';
    const count = `${this.#done.length}/${this.#files}`.padStart(7);
    this.#print(`${count} ${mark} ${file} (${sum(result, 'tests')} tests, ${seconds(durationMs)})`);
    for (const test of tests) {
      if (test.outcome !== 'failed' && !this.#listsTests) continue;
      const mark = { passed: '✔', failed: '✖', skipped: '﹣' }[test.outcome];
      this.#print(`${'  '.repeat(test.depth + 3)}${mark} ${test.name} (${seconds(test.durationMs)})`);
      if (test.fault !== '') this.#print(indented(`${test.place}\n${test.fault}`, test.depth + 4));
    }
    if (output.trim() !== '' && (!passed || this.#listsTests)) this.#print(indented(output.trimEnd(), 4));
    this.#showProgress();
  }

  /** @param shown how many files, the slowest first */
  finish(shown = slowestShown): void {
    this.#clearProgress();
    const slowest = this.#done.toSorted((a, b) => b.durationMs - a.durationMs);
    console.log('\nSlowest files:');
    for (const { file, durationMs, passed } of slowest.slice(0, shown))
      console.log(`  ${seconds(durationMs).padStart(8)}  ${passed ? 'passed' : 'FAILED'}  ${file}`);
    const failed = this.#done.filter(({ passed }) => !passed);
    if (failed.length > 0) console.log('\nFailed:');
    for (const { file, tests } of failed) {
      console.log(`✖ ${file}`);
      for (const { outcome, name } of tests) if (outcome === 'failed') console.log(`    ✖ ${name}`);
    }
    const total = (what: Sum) => this.#done.reduce((all, result) => all + sum(result, what), 0);
    console.log(
      `\n${total('tests')} tests in ${this.#done.length} files, ${total('passed')} passed, ${total('failed')} failed, ` +
        `${total('skipped')} skipped, in ${seconds(performance.now() - this.#startedMs)}`,
    );
  }

  #print(text: string): void {
    this.#clearProgress();
    console.log(text);
  }

  /** On a terminal the last line tells what runs; elsewhere a line per file does. */
  #showProgress(): void {
    if (!process.stdout.isTTY) return;
    const failures = this.#done.reduce((all, result) => all + sum(result, 'failed'), 0);
    const text = `${this.#done.length} of ${this.#files} files, ${failures} failures, ${seconds(performance.now() - this.#startedMs)}: ${[...this.#running].join(', ')}`;
    this.#clearProgress();
    process.stdout.write(text.slice(0, process.stdout.columns - 1));
  }

  #clearProgress(): void {
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  }
}

type Sum = 'tests' | 'passed' | 'failed' | 'skipped';

/** A file that failed without a failed test counts as one. */
function sum({ tests, passed }: FileResult, what: Sum): number {
  const counted = tests.filter(({ isSuite }) => !isSuite);
  const failed = counted.filter(({ outcome }) => outcome === 'failed').length;
  if (what === 'tests') return counted.length;
  if (what === 'failed') return !passed && failed === 0 ? 1 : failed;
  return counted.filter(({ outcome }) => outcome === what).length;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indented(text: string, depth: number): string {
  return text.replaceAll(/^/gm, '  '.repeat(depth));
}
