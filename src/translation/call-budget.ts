/**
 * Ends a book whose engine answers nothing that can be used, after tens of calls and not hundreds. Until the first passage is accepted
 * no more than these go out; the others wait for what becomes of them. A request that took several calls counts as so many.
 */
import { BookTranslationError } from './book-translation-error.ts';

/** What became of a call. */
export type CallVerdict = 'accepted' | 'refused' | 'unreadable' | 'unusable';

/** These tell whether the engine can translate this book; a good one delays the others by one call. */
const callsWithoutSuccess = 20;

export class CallBudget {
  readonly #verdicts = new Map<CallVerdict, number>();
  #sent = 0;
  #ended = 0;
  #waiting: (() => void)[] = [];

  /** @throws BookTranslationError when all of them have ended and none was accepted */
  async admit(signal: AbortSignal): Promise<void> {
    while (!this.#isProven && (this.#sent >= callsWithoutSuccess || this.#sent - this.#ended >= this.#atOnce)) {
      if (this.#ended >= this.#sent) throw this.#failure();
      const settled = Promise.withResolvers<void>();
      this.#waiting.push(settled.resolve);
      signal.addEventListener('abort', () => settled.resolve(), { once: true });
      await settled.promise;
      signal.throwIfAborted();
    }
    this.#sent += 1;
  }

  /** An engine asks several times for one request while it learns how to ask. */
  tookMore(calls: number): void {
    this.#sent += calls;
    this.#ended += calls;
  }

  /** @throws BookTranslationError when nothing was accepted so far, and it was tried often enough */
  ended(verdict: CallVerdict): void {
    this.#ended += 1;
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1);
    this.#wake();
    if (!this.#isProven && this.#ended >= callsWithoutSuccess) throw this.#failure();
  }

  /** The engine could not be asked, which says nothing about its answers. */
  withdrawn(): void {
    this.#sent -= 1;
    this.#wake();
  }

  /** A passage whose call has failed asks again first, in smaller parts: one that ends well says more than the beginnings of many. */
  #wake(): void {
    setImmediate(() => {
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  /** What one failing call teaches about the model, others under way beside it would only learn again. */
  get #atOnce(): number {
    return this.#ended === 0 ? callsWithoutSuccess : 1;
  }

  get #isProven(): boolean {
    return this.#verdicts.has('accepted');
  }

  /** Why nothing came of a book of which nothing was accepted; undefined where something was. */
  hopeless(): BookTranslationError | undefined {
    return this.#isProven || this.#ended === 0 ? undefined : this.#failure();
  }

  #failure(): BookTranslationError {
    const counted = (verdict: CallVerdict): number => this.#verdicts.get(verdict) ?? 0;
    return BookTranslationError.nothingUsable({
      calls: this.#ended,
      refused: counted('refused'),
      unreadable: counted('unreadable'),
      unusable: counted('unusable'),
    });
  }
}
