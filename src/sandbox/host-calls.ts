import type { FromProcess, HostFunction, ToProcess } from './job-module.ts';
import type { SpanRelay } from './tracing-relay.ts';

/** The calls of one job to its host. */
export class HostCalls {
  readonly #host: Record<string, HostFunction | undefined>;
  readonly #spans: SpanRelay;
  readonly #reply: (message: ToProcess) => void;
  readonly #fail: (fault: unknown) => void;
  readonly #running = new Map<number, AbortController>();
  #isOver = false;

  constructor(
    host: object | undefined,
    spans: SpanRelay,
    reply: (message: ToProcess) => void,
    fail: (fault: unknown) => void,
  ) {
    this.#host = (host ?? {}) as Record<string, HostFunction | undefined>;
    this.#spans = spans;
    this.#reply = reply;
    this.#fail = fail;
  }

  async answer({ id, method, argument, span }: Extract<FromProcess, { kind: 'call' }>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const target = Object.hasOwn(this.#host, method) ? this.#host[method] : undefined;
      if (target === undefined) throw new TypeError(`the host of this job has no ${method}()`);
      const value = await this.#spans.inside(span, () => target(argument, controller.signal));
      if (this.#running.delete(id) && !this.#isOver) this.#reply({ kind: 'reply', id, value });
    } catch (error) {
      // A call that the job gave up may fail as it likes.
      if (this.#running.delete(id) && !this.#isOver) this.#fail(error);
    }
  }

  abandon(id: number): void {
    const controller = this.#running.get(id);
    this.#running.delete(id);
    controller?.abort();
  }

  abandonAll(): void {
    this.#isOver = true;
    for (const id of [...this.#running.keys()]) this.abandon(id);
  }
}
