import type { Limits } from '../limits.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TermRows } from '../series/term-rows.ts';
import { termLimits } from '../tasks/glossary-reader.ts';
import { glossaryBudget } from '../tasks/work-budget.ts';
import { readSeriesTerms, type SentSeriesTerms } from './series-term-jobs.ts';

const seriesTermJobs = jobModule<typeof import('./series-term-jobs.ts')>(
  new URL('./series-term-jobs.ts', import.meta.url),
);

/** Up to this length they are read in about a millisecond: less than a child takes to answer on a busy machine. */
const smallBytes = 16 * 1024;

/** Reads the terms that a series is sent: few of them here, many in the sandbox. */
export class SeriesTermReader {
  readonly #sandbox: Sandbox;
  readonly #limits: Limits;

  constructor({ sandbox, limits }: { sandbox: Sandbox; limits: Limits }) {
    this.#sandbox = sandbox;
    this.#limits = limits;
  }

  /** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async read(sent: Omit<SentSeriesTerms, 'limits'>, owner: string): Promise<TermRows> {
    const bounded = { ...sent, limits: termLimits(this.#limits) };
    if (sent.body.byteLength <= smallBytes) return await readSeriesTerms(bounded);
    return await this.#sandbox.run(seriesTermJobs, 'readSeriesTerms', bounded, { ...glossaryBudget, owner });
  }
}
