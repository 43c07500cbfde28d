/** An HTTP client for proofs that send tens of thousands of requests: keep-alive, raw headers, no checks. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface LeanAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values in the order they came. */
  rawHeaders: readonly string[];
  text: string;
  elapsedMs: number;
}

export interface LeanRequest {
  key?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
}

export class LeanClient {
  readonly #agent: Agent;

  constructor(maxSockets: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  send(method: string, url: string, { key, headers = {}, body, signal }: LeanRequest = {}): Promise<LeanAnswer> {
    const startedAt = performance.now();
    const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent: this.#agent,
        headers: { ...authorization, ...length, ...headers },
        ...(signal ? { signal } : {}),
      };
      const sent = request(url, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject).on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            text,
            elapsedMs: performance.now() - startedAt,
          }),
        );
      });
      sent.on('error', reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The smallest measurement that this share of all of them does not exceed. */
export function percentile(measurements: readonly number[], share: number): number {
  const sorted = [...measurements].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
