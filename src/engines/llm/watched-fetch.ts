/**
 * `fetch` for one call to a model. What counts is silence, not how long an answer takes: a long one that keeps coming is a good one. It
 * also stops reading at so many bytes: 400 MB of answer became 2.1 GB of memory.
 */
import { EngineError } from '../engine-error.ts';

export interface Watch {
  /** Until the first byte of the answer: a model may have to be loaded, or thinks before it speaks. */
  firstMs: number;
  /** Between two of them. */
  silenceMs: number;
  /** Altogether: a server that drips a byte a minute is no server. */
  totalMs: number;
  maxBytes: number;
  /** Changes the request before it goes. */
  shape(body: Record<string, unknown>): Record<string, unknown>;
  /** Called as soon as the server answers. */
  onHeaders(headers: Readonly<Record<string, string>>): void;
}

export interface WatchedFetch {
  fetch: typeof fetch;
  /** The request as it went over the wire. */
  sentBody(): Readonly<Record<string, unknown>>;
  /** True when it was us who ended the call. */
  timedOut(): EngineError | undefined;
  /** The whole answer, where a server sends none of the stream that it was asked for. */
  wholeAnswer(): string | undefined;
  end(): void;
}

export function watchedFetch(watch: Watch): WatchedFetch {
  const stop = new AbortController();
  const started = performance.now();
  let sent: Record<string, unknown> = {};
  let whole: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (limitMs: number): void => {
    clearTimeout(timer);
    const leftMs = started + watch.totalMs - performance.now();
    const waitMs = Math.max(0, Math.min(limitMs, leftMs));
    timer = setTimeout(() => {
      const said = limitMs <= leftMs ? `no answer within ${limitMs} ms` : `not done within ${watch.totalMs} ms`;
      stop.abort(new EngineError('timeout', said));
    }, waitMs);
  };

  const read = async (response: Response): Promise<Response> => {
    watch.onHeaders(Object.fromEntries(response.headers));
    if (response.body === null) return response;
    waitFor(watch.silenceMs);
    let left = watch.maxBytes;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          waitFor(watch.silenceMs);
          left -= chunk.byteLength;
          if (left >= 0) controller.enqueue(chunk);
          else controller.error(new EngineError('malformed', `the answer has more than ${watch.maxBytes} bytes`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };

  const watched: typeof fetch = async (input, init = {}) => {
    sent = watch.shape(JSON.parse(String(init.body)) as Record<string, unknown>);
    const asksForStream = sent.stream === true || String(input).includes(':streamGenerateContent');
    waitFor(watch.firstMs);
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    const response = await read(await fetch(input, { ...init, body: JSON.stringify(sent), signal }));
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (!response.ok || !asksForStream || !isJson) return response;
    const text = await response.text();
    const status = statusInside(text);
    if (status === undefined) whole = text;
    return new Response(text, { status: status ?? 200, headers: response.headers });
  };

  return {
    fetch: watched,
    sentBody: () => sent,
    timedOut: () => (stop.signal.aborted ? (stop.signal.reason as EngineError) : undefined),
    wholeAnswer: () => whole,
    end: () => clearTimeout(timer),
  };
}

/** An error in the body of a 200: OpenRouter's way, and that of some builds of llama.cpp. */
function statusInside(text: string): number | undefined {
  try {
    const { error, choices, candidates } = JSON.parse(text) as Record<string, unknown>;
    if (error === undefined || error === null || choices !== undefined || candidates !== undefined) return undefined;
    const code = Number((error as { code?: unknown }).code);
    return code >= 400 && code < 600 ? code : 500;
  } catch {
    return undefined;
  }
}
