/**
 * Spans of a sandbox process, which has no connection to send them on. The process tells its parent when a span begins and
 * ends, and the parent opens the real one. A call from it back to its parent runs inside the span it was made in.
 */
import { continueSpan, currentSpan, type OpenSpan, type SpanAttributes } from '../platform/tracing.ts';

export type SpanMessage =
  | { kind: 'span-started'; id: number; parent: number; name: string; attributes: SpanAttributes; atMs: number }
  | { kind: 'span-ended'; id: number; attributes: SpanAttributes; fault: string | undefined; atMs: number };

interface RelayedSpan extends OpenSpan {
  id: number;
}

/** The process' side: the span it was started in, number 0. Every span below it is told through `send`. */
export function relayedSpan(send: (message: SpanMessage) => void): OpenSpan {
  let last = 0;
  const open = (id: number): RelayedSpan => {
    let attributes: SpanAttributes = {};
    return {
      id,
      start(name, own, atMs = Date.now()) {
        const started = open(++last);
        send({ kind: 'span-started', id: started.id, parent: id, name, attributes: own, atMs });
        return started;
      },
      set(more) {
        attributes = { ...attributes, ...more };
      },
      end(fault, atMs = Date.now()) {
        send({ kind: 'span-ended', id, attributes, fault, atMs });
      },
      traceparent: () => undefined,
    };
  };
  return open(0);
}

/** The process' number of the span that is running there; 0 when nothing is traced. */
export function relayedSpanId(): number {
  return (currentSpan() as RelayedSpan | undefined)?.id ?? 0;
}

/** The parent's side, for one job. Made inside the span that the process' spans belong to. */
export class SpanRelay {
  readonly #open = new Map<number, OpenSpan>();

  constructor() {
    const span = currentSpan();
    if (span !== undefined) this.#open.set(0, span);
  }

  get isTraced(): boolean {
    return this.#open.size > 0;
  }

  take(message: SpanMessage): void {
    if (message.kind === 'span-started') {
      const parent = this.#open.get(message.parent) ?? this.#open.get(0);
      if (parent !== undefined)
        this.#open.set(message.id, parent.start(message.name, message.attributes, message.atMs));
      return;
    }
    const span = this.#open.get(message.id);
    span?.set(message.attributes);
    span?.end(message.fault, message.atMs);
    this.#open.delete(message.id);
  }

  inside<T>(id: number, run: () => T): T {
    return continueSpan(this.#open.get(id) ?? this.#open.get(0), run);
  }

  /** A process that was killed ends no spans of its own. */
  endAll(): void {
    for (const [id, span] of this.#open) if (id !== 0) span.end('killed');
    this.#open.clear();
  }
}
