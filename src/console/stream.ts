/** Server-sent events: a page that renews itself. */
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors.ts';
import { standardHeaders } from '../http/envelope.ts';

const intervalMs = 2_000;
/** Then the browser connects again, and an ended session is noticed. */
const longestMs = 15 * 60_000;
const maxStreams = 50;

export class ConsoleStreams {
  readonly #stopping: AbortSignal;
  #open = 0;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /** Sends what `render` gives, again and again, until it gives `last`. @throws UNAVAILABLE when too many are open */
  send(reply: FastifyReply, render: () => Promise<{ html: string; last?: boolean }>): void {
    if (this.#open >= maxStreams)
      throw new AppError('UNAVAILABLE', 'Too many pages are open at once.', { retryAfterSeconds: 30 });
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...standardHeaders, 'content-type': 'text/event-stream; charset=utf-8' });
    this.#open += 1;
    const startedMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      raw.end();
    };
    this.#stopping.addEventListener('abort', end, { once: true });
    raw.once('close', () => {
      clearTimeout(timer);
      this.#stopping.removeEventListener('abort', end);
      this.#open -= 1;
    });
    const tick = async () => {
      // While the database is away the page keeps what it shows; the next tick tries again.
      const part = await render().catch(() => undefined);
      if (raw.destroyed || raw.writableEnded) return;
      if (part) raw.write(`data: ${JSON.stringify({ html: part.html })}\n\n`);
      else raw.write(': waiting\n\n');
      if (part?.last) {
        raw.write('event: end\ndata: {}\n\n');
        return end();
      }
      if (performance.now() - startedMs > longestMs) return end();
      // A browser that does not read gets no more until it does.
      if (raw.writableNeedDrain) raw.once('drain', later);
      else later();
    };
    const later = () => {
      timer = setTimeout(() => void tick(), intervalMs);
    };
    void tick();
  }
}
