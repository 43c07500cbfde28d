/** What a test process tells the runner that started it. It gets one file name for every `ready`, and none when all are done. */
export type FromTestProcess =
  | { kind: 'ready' }
  | ({ kind: 'result' } & TestResult)
  /** An error that belongs to no test, such as one after the end of a test. */
  | { kind: 'stray-error'; text: string }
  | { kind: 'closed' };

export type ToTestProcess = { file: string } | { end: true };

export interface TestResult {
  name: string;
  /** 0 = a whole file, 1 = a test of it, more = a part of a test. */
  depth: number;
  isSuite: boolean;
  outcome: 'passed' | 'failed' | 'skipped';
  durationMs: number;
  /** `file:line` of the test. */
  place: string;
  /** The error in words; empty when only parts of it failed, which were reported before. */
  fault: string;
}
