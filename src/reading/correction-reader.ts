import type { MatchCounts } from '../interchange/match-corrections.ts';
import { OwnerLimit } from '../platform/owner-limit.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { JobOptions, Sandbox } from '../sandbox/sandbox.ts';
import type { SeriesCounts } from '../series/match-corrections.ts';
import { correctionBudget } from '../tasks/work-budget.ts';
import type {
  BookHost,
  findNames,
  matchSentCorrections,
  matchSeriesCorrections,
  NamePlace,
  replaceTermInBook,
  SeriesHost,
} from './correction-jobs.ts';

const correctionJobs = jobModule<typeof import('./correction-jobs.ts')>(
  new URL('./correction-jobs.ts', import.meta.url),
);

/** Whose request it is, and what ends it. */
export interface Asking {
  owner: string;
  /** Aborts when the client has left. */
  signal: AbortSignal;
}

/** The book that corrections are matched with. */
export interface MatchedBook {
  characters: number;
  host: BookHost;
}

type MatchJob = Parameters<typeof matchSentCorrections>[0];
type SeriesJob = Parameters<typeof matchSeriesCorrections>[0];
type TermJob = Parameters<typeof replaceTermInBook>[0];
type NameJob = Parameters<typeof findNames>;

/** Reads and matches corrections where they hold up nobody, and lets an account's requests with them wait for each other. */
export class CorrectionReader {
  readonly #sandbox: Sandbox;
  readonly #ownerLimit = new OwnerLimit(1, { rests: true });

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** One of an account at a time: saving the corrections of a novel takes as long as reading them. */
  async inTurn<T>({ owner, signal }: Asking, work: () => Promise<T>): Promise<T> {
    return await this.#ownerLimit.run(owner, async () => {
      signal.throwIfAborted();
      return await work();
    });
  }

  /** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async matchSeries(job: SeriesJob, host: SeriesHost, asking: Asking): Promise<SeriesCounts> {
    const options = { ...budgetOf(job.sent.body.byteLength, 0, asking), host };
    return await this.#sandbox.run(correctionJobs, 'matchSeriesCorrections', job, options);
  }

  /** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async match(job: MatchJob, { characters, host }: MatchedBook, asking: Asking): Promise<MatchCounts> {
    const options = { ...budgetOf(job.sent.body.byteLength, characters, asking), host };
    return await this.#sandbox.run(correctionJobs, 'matchSentCorrections', job, options);
  }

  /** Returns how many paragraphs change. @throws BAD_REQUEST, UNAVAILABLE */
  async replaceTerm(job: TermJob, { characters, host }: MatchedBook, asking: Asking): Promise<number> {
    const options = { ...budgetOf(0, characters, asking), host };
    return await this.#sandbox.run(correctionJobs, 'replaceTermInBook', job, options);
  }

  /** @throws UNAVAILABLE */
  async findNames(
    job: NameJob[0],
    { characters, host }: { characters: number; host: NameJob[1] },
    asking: Asking,
  ): Promise<NamePlace[]> {
    const options = { ...budgetOf(0, characters, asking), host };
    return await this.#sandbox.run(correctionJobs, 'findNames', job, options);
  }
}

function budgetOf(sentBytes: number, bookCharacters: number, { owner, signal }: Asking): JobOptions {
  return { ...correctionBudget(sentBytes, bookCharacters), owner, signal };
}
