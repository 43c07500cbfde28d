import type { Limits } from '../limits.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TermRows } from '../series/term-rows.ts';
import { glossaryBudget } from '../tasks/work-budget.ts';
import { readSeriesTerms, type SentSeriesTerms } from './series-term-jobs.ts';

const seriesTermJobs = jobModule<typeof import('./series-term-jobs.ts')>(
  new URL('./series-term-jobs.ts', import.meta.url),
);

/** Up to this length they are read in about a millisecond: less than a child takes to answer on a busy machine. */
const smallBytes = 16 * 1024;

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
export type SeriesTermReader = (sent: Omit<SentSeriesTerms, 'limits'>, owner: string) => Promise<TermRows>;

/** Reads the terms that a series is sent: few of them here, many in the sandbox. */
export function seriesTermReader({ sandbox, limits }: { sandbox: Sandbox; limits: Limits }): SeriesTermReader {
  return async (sent, owner) => {
    const bounded = { ...sent, limits };
    if (sent.body.byteLength <= smallBytes) return await readSeriesTerms(bounded);
    return await sandbox.run(seriesTermJobs, 'readSeriesTerms', bounded, { ...glossaryBudget, owner });
  };
}
