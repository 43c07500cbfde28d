import { OwnerLimit } from '../platform/owner-limit.ts';
import { type JobArgument, type JobHost, type JobName, type JobResult, jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { correctionBudget } from '../tasks/work-budget.ts';

type Jobs = typeof import('./correction-jobs.ts');
const correctionJobs = jobModule<Jobs>(new URL('./correction-jobs.ts', import.meta.url));

/** Whose request it is, and what ends it. */
export interface Asking {
  owner: string;
  /** Aborts when the client has left. */
  signal: AbortSignal;
}

/** With what is in memory as a whole: what was sent, and the book that it is of. */
type AskingAbout = Asking & { sentBytes?: number; characters?: number };

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
  async run<Name extends JobName<Jobs>>(
    name: Name,
    job: JobArgument<Jobs[Name]>,
    host: JobHost<Jobs[Name]>,
    { sentBytes = 0, characters = 0, owner, signal }: AskingAbout,
  ): Promise<JobResult<Jobs[Name]>> {
    const options = { ...correctionBudget(sentBytes, characters), owner, signal, ...host };
    return await this.#sandbox.run(correctionJobs, name, job, options);
  }
}
