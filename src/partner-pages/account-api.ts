/**
 * All that the partner's pages know and do: the public API, called with the key of the session over the server's own routes.
 * So a page can do nothing that the key could not, within the same rate limit.
 */
import type { FastifyRequest } from 'fastify';
import { apiPrefix, type Server } from '../http/server.ts';

/** What the API answered when it was no success. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | undefined;

  constructor(status: number, fault: { code: string; message: string }, retryAfter: string | undefined) {
    super(fault.message);
    this.status = status;
    this.code = fault.code;
    this.retryAfter = retryAfter;
  }

  /** The key is no longer good for anything. */
  get endsSession(): boolean {
    return this.code === 'UNAUTHORIZED' || this.code === 'ACCOUNT_SUSPENDED';
  }
}

export interface AccountApi {
  /** @throws ApiFault */
  get<T>(path: string, query?: Record<string, string | undefined>): Promise<T>;
  /** @throws ApiFault */
  post<T>(path: string, body?: object): Promise<T>;
}

export function accountApi(server: Server, request: FastifyRequest, key: string): AccountApi {
  const call = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const answer = await server.inject({
      method,
      url: `${apiPrefix}${path}`,
      remoteAddress: request.ip,
      headers: {
        authorization: `Bearer ${key}`,
        // Addresses in answers are made for the person who looks at the page.
        host: request.host,
        'x-forwarded-proto': request.protocol,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    });
    const parsed = answer.json() as { success: boolean; data: T; error: { code: string; message: string } };
    if (!parsed.success)
      throw new ApiFault(answer.statusCode, parsed.error, answer.headers['retry-after'] as string | undefined);
    return parsed.data;
  };
  return {
    get(path, query = {}) {
      const set = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
      return call('GET', set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`);
    },
    post: (path, body) => call('POST', path, body),
  };
}
