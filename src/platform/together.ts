/** Two, so that we prepare one while the other is in the database; more would only make the batches smaller. */
const maxUnderWay = 2;
/** A statement holds up whoever shares it until it ends, so it stays short. */
const maxTogether = 32;

interface Waiting<Q, A> {
  question: Q;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/** Questions that arrive while a statement is under way share the next one: a busy process asks once for many. */
export class Together<Q, A> {
  readonly #answer: (questions: readonly Q[]) => Promise<readonly A[]>;
  readonly #waiting: Waiting<Q, A>[] = [];
  #underWay = 0;

  /** @param answer one answer for each question, in their order */
  constructor(answer: (questions: readonly Q[]) => Promise<readonly A[]>) {
    this.#answer = answer;
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    while (this.#underWay < maxUnderWay && this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, maxTogether);
      this.#underWay++;
      void this.#settle(together).finally(() => {
        this.#underWay--;
        this.#send();
      });
    }
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
