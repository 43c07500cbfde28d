/** Verifies (and, for tests of receivers, signs) webhooks as Standard Webhooks 1.0 says, with the Web Crypto of every runtime. */
import { ToledoError } from './errors.js';
import type { Event } from './wire-types.js';
/** The signature is not genuine: answer with 400 and do nothing else. */
export declare class WebhookVerificationError extends ToledoError {
    readonly name = "WebhookVerificationError";
    constructor(message: string);
}
export interface VerifyWebhookOptions {
    /** Seconds that the clocks may differ and a request may be on its way; default 300. */
    toleranceSeconds?: number;
    /** Instead of the machine's clock, for tests. */
    now?: Date;
}
/** Headers as servers provide them: a plain object, such as Node's `request.headers`, or `Headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;
/**
 * The event of a request whose signature is genuine. Give the body exactly as it arrived, before any parsing.
 * @param secret of the webhook; give both while you rotate
 * @throws WebhookVerificationError
 */
export declare function verifyWebhook(payload: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyWebhookOptions): Promise<Event>;
/** The headers that Toledo would send with this body. */
export declare function signWebhook(payload: string | Uint8Array, id: string, secret: string, now?: Date): Promise<Record<string, string>>;
