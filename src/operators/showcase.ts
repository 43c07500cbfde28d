/**
 * What a visitor of the front page may see and try: one page of a translated book, and a paragraph of their own. Both are tasks of an
 * account of the house, so engines serve them in turn with everybody else's, and the operator sees what they cost. The account gets
 * an allowance a day; a partner's credits are never touched.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAccount, listKeys } from '../accounts/account-store.ts';
import { type Caller, ownerOf } from '../accounts/admit.ts';
import { AppError } from '../errors.ts';
import { type Language, parseLanguage } from '../language/languages.ts';
import { newId } from '../platform/ids.ts';
import { openBook } from '../reading/read-book.ts';
import { createReaderLink, maxReaderSeconds, readerPath } from '../reading/reader-link.ts';
import { claimChore } from '../tasks/chore-store.ts';
import { createTask } from '../tasks/create-task.ts';
import { deleteTask } from '../tasks/end-task.ts';
import type { CreateTaskDependencies } from '../tasks/order-task.ts';
import { textKeyOf } from '../tasks/source-text-store.ts';
import type { Task } from '../tasks/task.ts';
import { findTask, pageOfTasks } from '../tasks/task-store.ts';
import { topUpAccount } from './account-changes.ts';
import { openHouseAccount } from './house-accounts.ts';

export const houseAccount = 'front page';
const charactersPerDay = 100_000;
/** At once in a process: visitors wait for each other, and never partners for visitors. */
const trialsAtOnce = 2;
const patienceMs = 40_000;
const lookMs = 200;
/** So long an example is shown without a look at whether it is still there. */
const keptMs = 24 * 3600 * 1000;
/** A process that is killed while it makes the example is followed by another after this time. */
const makingMs = 60_000;
const exampleId = 'front-page-example';

export interface ShowcaseDependencies extends CreateTaskDependencies {
  keyPepper: Buffer;
  urlSigningKey: Buffer;
}

export interface Example {
  sourceLang: string;
  targetLang: string;
  quality: string;
  paragraphs: { source: string; target: string }[];
  /** Path of the reader with the whole of it. */
  path: string;
}

export interface ExampleText {
  text: string;
  title: string;
  /** Tags. */
  sourceLang: string;
  targetLang: string;
}

export class Showcase {
  /** Of a paragraph to try. */
  readonly maxCharacters = 500;
  readonly #deps: ShowcaseDependencies;
  readonly #exampleText: ExampleText | undefined;
  #example: Example | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #trials = 0;

  /** @param exampleText undefined = no engine serves any of the samples */
  constructor(deps: ShowcaseDependencies, exampleText: ExampleText | undefined) {
    this.#deps = deps;
    this.#exampleText = exampleText;
  }

  /** @throws UNAVAILABLE, BAD_REQUEST for a pair that nobody serves */
  async translate(
    text: string,
    pair: { sourceLang: Language | undefined; targetLang: Language },
  ): Promise<Pick<Example, 'paragraphs' | 'quality'>> {
    if (this.#trials >= trialsAtOnce) throw busy();
    this.#trials++;
    try {
      const caller = await this.#house();
      const owner = ownerOf(caller);
      const taskId = await this.#create(caller, { text, fileName: 'paragraph.txt', ...pair }, {});
      try {
        const task = await this.#ended(caller, taskId);
        return { paragraphs: await this.#paragraphs(task, 50), quality: String(task.result.quality ?? 'standard') };
      } finally {
        // Nothing of what a visitor has sent is kept.
        await deleteTask(this.#deps, owner, taskId);
      }
    } finally {
      this.#trials--;
    }
  }

  /** Translates the sample, unless it is there. */
  async makeExample(): Promise<void> {
    if (this.#exampleText === undefined) return;
    const caller = await this.#house();
    if ((await this.#exampleTask(caller)) !== undefined) return;
    // Several processes start at once; one of them makes it.
    if (!(await claimChore(this.#deps.db, exampleId, makingMs))) return;
    const { title, text, ...tags } = this.#exampleText;
    const [sourceLang, targetLang] = [parseLanguage(tags.sourceLang), parseLanguage(tags.targetLang)];
    if (targetLang === undefined) return;
    await this.#create(caller, { text, sourceLang, targetLang, fileName: `${title}.txt` }, { external_id: exampleId });
  }

  /** Undefined while there is none. */
  async example(): Promise<Example | undefined> {
    // Its text goes with its retention, and the link with the text.
    if (this.#example !== undefined && performance.now() - this.#lookedAtMs < keptMs) return this.#example;
    this.#example = undefined;
    const account = await findAccount(this.#deps.db, houseAccount).catch(() => undefined);
    if (account === undefined) return undefined;
    const caller = await this.#house();
    const task = await this.#exampleTask(caller);
    if (task?.status !== 'completed') return undefined;
    this.#lookedAtMs = performance.now();
    const options = { keyId: caller.keyId, editable: false, expiresInSeconds: maxReaderSeconds };
    const link = await createReaderLink(this.#deps.db, task, options);
    this.#example = {
      sourceLang: task.sourceLang,
      targetLang: task.targetLang ?? 'en',
      quality: String(task.result.quality ?? 'standard'),
      paragraphs: await this.#paragraphs(task, 6),
      path: readerPath(link, this.#deps.urlSigningKey),
    };
    return this.#example;
  }

  async #exampleTask(caller: Caller): Promise<Task | undefined> {
    const filter = { status: undefined, action: undefined, externalId: exampleId, seriesId: undefined };
    const { tasks } = await pageOfTasks(this.#deps.db, ownerOf(caller), filter, 1, undefined);
    const [listed] = tasks;
    if (listed === undefined) return undefined;
    const task = await findTask(this.#deps.db, ownerOf(caller), listed.id);
    return task.purgedAt || task.status === 'failed' ? undefined : task;
  }

  async #create(
    caller: Caller,
    {
      text,
      fileName,
      ...pair
    }: { text: string; fileName: string; sourceLang: Language | undefined; targetLang: Language },
    metadata: Record<string, string>,
  ): Promise<string> {
    const { db, glossaries } = this.#deps;
    const day = new Date().toISOString().slice(0, 10);
    await topUpAccount(db, houseAccount, caller.accountId, charactersPerDay, `front page ${day}`);
    const bytes = Buffer.from(text);
    const taskId = newId('task');
    await createTask(this.#deps, {
      caller,
      idempotencyKey: undefined,
      taskId,
      request: {
        ...{ action: 'translation', ...pair, charLimit: undefined, skipFrontMatter: false, estimatedChars: undefined },
        ...{ glossary: await glossaries.read(undefined, caller.accountId), glossaryStrategy: 'merge' },
        ...{ acceptDraft: true, outputs: ['translated'], metadata, style: undefined, context: undefined },
        ...{ text: bytes, sourceTaskId: undefined, seriesId: undefined, fileName },
      },
      source: {
        ...{ key: textKeyOf(taskId), sizeBytes: bytes.byteLength, text: bytes },
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
      fileName,
      signal: AbortSignal.timeout(patienceMs),
      onlyWaits: () => {},
    }).catch((error) => {
      // Visitors have no credits of their own.
      throw error instanceof AppError && error.code === 'PAYMENT_REQUIRED' ? usedUp() : error;
    });
    return taskId;
  }

  async #ended(caller: Caller, taskId: string): Promise<Task> {
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline && !this.#deps.stopping.aborted) {
      const task = await findTask(this.#deps.db, ownerOf(caller), taskId);
      if (task.status === 'completed') return task;
      if (task.status !== 'pending') throw unavailable(task.error?.message ?? 'It could not be translated.', 5);
      await sleep(lookMs);
    }
    throw busy();
  }

  async #paragraphs(task: Task, limit: number): Promise<Example['paragraphs']> {
    const paragraphs: Example['paragraphs'] = [];
    for await (const { block } of (await openBook(this.#deps, task)).blocks()) {
      paragraphs.push({ source: block.source, target: block.target });
      if (paragraphs.length === limit) break;
    }
    return paragraphs;
  }

  /** @throws UNAVAILABLE when the operator has suspended it */
  async #house(): Promise<Caller> {
    const { db, keyPepper } = this.#deps;
    const account = await openHouseAccount(db, houseAccount, houseAccount, keyPepper);
    const key = (await listKeys(db, account.id)).find(
      ({ revokedAt, mode }) => revokedAt === undefined && mode === 'live',
    );
    if (key === undefined || account.suspendedAt !== undefined) throw switchedOff();
    return {
      accountId: account.id,
      keyId: key.id,
      keyPrefix: key.prefix,
      mode: 'live',
      rateLimitPerMinute: 60,
      suspended: false,
    };
  }
}

function unavailable(message: string, retryAfterSeconds: number): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds });
}

const busy = () => unavailable('Others are trying it just now; try again in a moment.', 5);
const usedUp = () => unavailable('Enough has been tried for today; come back tomorrow.', 3600);
const switchedOff = () => unavailable('The operator has switched this off.', 3600);
