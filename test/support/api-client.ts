/** Calls a running service and checks every answer against the OpenAPI document. */
import type { ContractCheck } from './contract-check.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely; the contract check has validated them
  body: any;
}

export interface CallOptions {
  key?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams;
  signal?: AbortSignal;
}

/** A request to a path below the root. @throws what fetch throws when there is no answer */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export function createCall(rootUrl: string, contract: ContractCheck): Call {
  return async (method, path, { key, headers = {}, body, signal } = {}) => {
    const url = rootUrl + path;
    const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(url, {
      method,
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    contract.check(method, url, { status: response.status, headers: response.headers, text });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}
