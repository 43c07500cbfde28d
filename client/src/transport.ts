/** One call of the API: the envelope, the timeout of each attempt, and the retries. */
import { ApiError, apiError, ConnectionError, TimeoutError, ToledoError, UnexpectedAnswerError } from './errors.ts';
import { RateGate } from './rate-gate.ts';
import { isRetryable, retryAfterMs, retryDelayMs } from './retry-delay.ts';
import { sleep } from './sleep.ts';
import type { ErrorBody } from './wire-types.ts';

export const clientVersion = '0.1.0';
export const defaultMaxRetries = 5;
/** The service answers within 30 s; the rest is for slow connections. */
const defaultTimeoutMs = 60_000;
/** A refusal comes at once. A call that runs longer than this was accepted: an upload, a slow answer. */
const letInAfterMs = 2_000;

export interface TransportOptions {
  /** Includes the version, such as `https://toledo.example.com/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Retries after the first attempt; default 5. */
  maxRetries?: number;
  /** For one attempt of one call; default 60 s. Uploads have ten times that. */
  timeoutMs?: number;
  /** Another `fetch`, for a proxy or for tests. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: object;
  headers?: Record<string, string>;
  /** Sent again as it is with every retry. */
  body?: FormData | string;
  /** A repetition would have a second effect: only a call that the rate limit refused is retried. */
  once?: boolean;
}

export interface CallResult<T> {
  data: T;
  headers: Headers;
  /** 1 when the first attempt succeeded. */
  attempts: number;
}

export class Transport {
  readonly baseUrl: string;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly #apiKey: string;
  readonly #gate = new RateGate();

  constructor({
    baseUrl,
    apiKey,
    maxRetries = defaultMaxRetries,
    timeoutMs = defaultTimeoutMs,
    ...rest
  }: TransportOptions) {
    if (!/^https?:\/\/[^\s?#]+$/.test(baseUrl ?? ''))
      throw new ToledoError('BAD_BASE_URL', 'The base URL must look like https://host/api/v1.');
    // Checked here because `fetch` would quote a malformed header, and so the key, in its own message.
    if (!/^[\x21-\x7e]+$/.test(apiKey ?? ''))
      throw new ToledoError('BAD_API_KEY', 'The API key is missing or has characters that no key has.');
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.maxRetries = maxRetries;
    this.timeoutMs = timeoutMs;
    this.fetch = rest.fetch ?? ((...args) => globalThis.fetch(...args));
    this.#apiKey = apiKey;
  }

  /** @throws ApiError by code, ConnectionError, TimeoutError, UnexpectedAnswerError, or the signal's reason */
  async call<T>(call: Call): Promise<CallResult<T>> {
    let turn = await this.#gate.enter(call.signal);
    try {
      for (let attempt = 0; ; attempt += 1) {
        const letIn = setTimeout(() => turn.leave(), letInAfterMs);
        try {
          return { ...(await this.#attempt<T>(call)), attempts: attempt + 1 };
        } catch (error) {
          if (call.signal?.aborted || attempt >= this.maxRetries || !isRetryable(error)) throw error;
          if (call.once && !(error instanceof ApiError && error.status === 429)) throw error;
          clearTimeout(letIn);
          if (error instanceof ApiError && error.status === 429) this.#gate.narrow();
          else turn.leave();
          await sleep(retryDelayMs(error, attempt), call.signal);
          if (!turn.held) turn = await this.#gate.enter(call.signal);
        } finally {
          clearTimeout(letIn);
        }
      }
    } finally {
      turn.leave();
    }
  }

  async #attempt<T>({ method, path, query, headers, body, signal }: Call): Promise<{ data: T; headers: Headers }> {
    const url = `${this.baseUrl}${path}${queryText(query)}`;
    const { response, text } = await this.exchange(url, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${this.#apiKey}`,
        accept: 'application/json',
        'user-agent': `toledo-client/${clientVersion}`,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      timeoutMs: body === undefined ? this.timeoutMs : this.timeoutMs * 10,
    });
    return { data: readEnvelope<T>(response, text), headers: response.headers };
  }

  /** One request with its whole text answer. @throws ConnectionError, TimeoutError, or the signal's reason */
  async exchange(
    url: string,
    {
      signal,
      timeoutMs,
      ...init
    }: Omit<RequestInit, 'signal'> & { signal: AbortSignal | undefined; timeoutMs: number },
  ): Promise<{ response: Response; text: string }> {
    const watch = watchAttempt(signal, timeoutMs, `No answer from ${originOf(url)} within ${timeoutMs} ms.`);
    try {
      const response = await this.fetch(url, { ...init, redirect: 'manual', signal: watch.signal });
      return { response, text: await response.text() };
    } catch (error) {
      throw watch.explain(error, `No answer from ${originOf(url)}`);
    } finally {
      watch.end();
    }
  }
}

/** One attempt under a timeout. */
export interface AttemptWatch {
  signal: AbortSignal;
  /** Data arrived: the timeout starts again. */
  renew(): void;
  end(): void;
  /** What to throw for what `fetch` threw. */
  explain(error: unknown, what: string): unknown;
}

/** Joins the caller's signal and a timeout; `AbortSignal.any` would need Node 20. */
export function watchAttempt(signal: AbortSignal | undefined, timeoutMs: number, timeoutMessage: string): AttemptWatch {
  if (signal?.aborted) throw signal.reason;
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const timeOut = () => controller.abort(new TimeoutError(timeoutMessage));
  signal?.addEventListener('abort', follow, { once: true });
  let timer = setTimeout(timeOut, timeoutMs);
  return {
    signal: controller.signal,
    renew() {
      clearTimeout(timer);
      timer = setTimeout(timeOut, timeoutMs);
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
    explain(error, what) {
      if (controller.signal.aborted) return controller.signal.reason;
      const cause = (error as { cause?: { code?: string; message?: string } })?.cause;
      const reason = cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
      return new ConnectionError(`${what}: ${reason}`, { cause: error });
    },
  };
}

export function originOf(url: string): string {
  return new URL(url).origin;
}

/** Turns an answer that is not a success into its error. */
export function faultOf(response: Response, text: string): ToledoError {
  const body = jsonObject(text);
  const error = body?.error as ErrorBody | undefined;
  if (body?.success === false && typeof error?.code === 'string') {
    return apiError({
      status: response.status,
      code: error.code,
      message: error.message,
      details: error.details,
      requestId: error.request_id ?? response.headers.get('x-request-id') ?? undefined,
      retryAfterMs: retryAfterMs(response.headers),
    });
  }
  const location = response.headers.get('location');
  return new UnexpectedAnswerError(
    response.status,
    location
      ? `The base URL answers with ${response.status} and points to ${location}; use the final address.`
      : `The answer with status ${response.status} is not from a Toledo service; check the base URL.`,
  );
}

function readEnvelope<T>(response: Response, text: string): T {
  const body = response.ok ? jsonObject(text) : undefined;
  if (body?.success !== true || typeof body.data !== 'object' || body.data === null) throw faultOf(response, text);
  return body.data as T;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function queryText(query: object | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}
