/** One call of the API: the envelope, the timeout of each attempt, and the retries. */
import { ToledoError } from './errors.js';
export declare const clientVersion = "0.1.0";
export declare const defaultMaxRetries = 5;
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
export declare class Transport {
    #private;
    readonly baseUrl: string;
    readonly maxRetries: number;
    readonly timeoutMs: number;
    readonly fetch: typeof fetch;
    constructor({ baseUrl, apiKey, maxRetries, timeoutMs, ...rest }: TransportOptions);
    /** @throws ApiError by code, ConnectionError, TimeoutError, UnexpectedAnswerError, or the signal's reason */
    call<T>(call: Call): Promise<CallResult<T>>;
    /** One request with its whole text answer. @throws ConnectionError, TimeoutError, or the signal's reason */
    exchange(url: string, { signal, timeoutMs, ...init }: Omit<RequestInit, 'signal'> & {
        signal: AbortSignal | undefined;
        timeoutMs: number;
    }): Promise<{
        response: Response;
        text: string;
    }>;
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
export declare function watchAttempt(signal: AbortSignal | undefined, timeoutMs: number, timeoutMessage: string): AttemptWatch;
export declare function originOf(url: string): string;
/** Turns an answer that is not a success into its error. */
export declare function faultOf(response: Response, text: string): ToledoError;
