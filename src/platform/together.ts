/** Two, so that we prepare one while the other is in the database; more would only make the batches smaller. */
const usuallyUnderWay = 2;
/** A statement holds up whoever shares it until it ends, so it stays short. */
const maxTogether = 32;
const turnsWhileBusy = 4;

export interface TogetherOptions<Q> {
  /** Statements at the same time. */
  maxUnderWay?: number;
  /** Whose question it is: the owners take turns, so that nobody waits behind all the questions of another. */
  ownerOf?: (question: Q) => string;
}

interface Waiting<Q, A> {
  question: Q;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/** Questions that arrive while a statement is under way share the next one: a busy process asks once for many. */
export class Together<Q, A> {
  readonly #answer: (questions: readonly Q[]) => Promise<readonly A[]>;
  readonly #maxUnderWay: number;
  readonly #ownerOf: ((question: Q) => string) | undefined;
  #waiting: Waiting<Q, A>[] = [];
  #underWay = 0;
  #gathering = false;

  /** @param answer one answer for each question, in their order */
  constructor(answer: (questions: readonly Q[]) => Promise<readonly A[]>, options: TogetherOptions<Q> = {}) {
    this.#answer = answer;
    this.#maxUnderWay = options.maxUnderWay ?? usuallyUnderWay;
    this.#ownerOf = options.ownerOf;
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#gather();
    });
  }

  /**
   * Many requests are read in one turn of the event loop: the first of them waits for the others, which takes no time. While
   * the database is at work on others anyway, a few turns more make fewer and larger statements.
   */
  #gather(): void {
    if (this.#gathering || this.#underWay >= this.#maxUnderWay) return;
    this.#gathering = true;
    let turns = this.#underWay > 0 ? turnsWhileBusy : 1;
    const turn = (): void => {
      turns -= 1;
      if (turns > 0) return void setImmediate(turn);
      this.#gathering = false;
      this.#send();
    };
    setImmediate(turn);
  }

  #send(): void {
    while (this.#underWay < this.#maxUnderWay && this.#waiting.length > 0) {
      const together = this.#take();
      this.#underWay++;
      void this.#settle(together).finally(() => {
        this.#underWay--;
        this.#send();
      });
    }
  }

  #take(): Waiting<Q, A>[] {
    const ownerOf = this.#ownerOf;
    if (ownerOf === undefined || this.#waiting.length <= maxTogether) return this.#waiting.splice(0, maxTogether);
    const lines = [...Map.groupBy(this.#waiting, ({ question }) => ownerOf(question)).values()];
    const rounds = Math.max(...lines.map((line) => line.length));
    const inTurns = Array.from({ length: rounds }, (_, n) => lines.flatMap((line) => line[n] ?? [])).flat();
    const taken = new Set(inTurns.slice(0, maxTogether));
    this.#waiting = this.#waiting.filter((waiting) => !taken.has(waiting));
    return [...taken];
  }

  async #settle(together: readonly Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await this.#answer(together.map(({ question }) => question));
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }
}
