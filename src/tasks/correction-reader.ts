import type { EditedUnit } from '../interchange/edited-unit.ts';
import { Turns } from '../platform/turns.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { readSentCorrections, type SentCorrections } from './correction-jobs.ts';
import { glossaryBudget } from './work-budget.ts';

const correctionJobs = jobModule<typeof import('./correction-jobs.ts')>(new URL('correction-jobs.ts', import.meta.url));

/** Up to this length they are read in about a millisecond: less than a child takes to answer on a busy machine. */
const smallBytes = 16 * 1024;

/** Reads corrections where they hold up nobody, and lets an account's requests with them wait for each other. */
export class CorrectionReader {
  readonly #sandbox: Sandbox;
  readonly #turns = new Turns(1, { rests: true });

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** @param use what is done with them: matching a novel's takes as long as reading it. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async use<T>(sent: SentCorrections, owner: string, use: (units: readonly EditedUnit[]) => Promise<T>): Promise<T> {
    return await this.#turns.run(owner, async () => {
      const units: EditedUnit[] = [];
      const host = { take: async (part: readonly EditedUnit[]) => void units.push(...part) };
      if (sent.body.byteLength <= smallBytes) await readSentCorrections(sent, host);
      else await this.#sandbox.run(correctionJobs, 'readSentCorrections', sent, { ...glossaryBudget, owner, host });
      return await use(units);
    });
  }
}
