/** Verifies (and, for tests of receivers, signs) webhooks as Standard Webhooks 1.0 says, with the Web Crypto of every runtime. */
import { ToledoError } from './errors.ts';
import type { Event } from './wire-types.ts';

/** The signature is not genuine: answer with 400 and do nothing else. */
export class WebhookVerificationError extends ToledoError {
  override readonly name = 'WebhookVerificationError';
  constructor(message: string) {
    super('WEBHOOK_NOT_VERIFIED', message);
  }
}

export interface VerifyWebhookOptions {
  /** Seconds that the clocks may differ and a request may be on its way; default 300. */
  toleranceSeconds?: number;
  /** Instead of the machine's clock, for tests. */
  now?: Date;
}

/** Headers as servers provide them: a plain object, such as Node's `request.headers`, or `Headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

const secretPrefix = 'whsec_';

/**
 * The event of a request whose signature is genuine. Give the body exactly as it arrived, before any parsing.
 * @param secret of the webhook; give both while you rotate
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<Event> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A webhook header is missing.');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('The timestamp is too old or too new.');
  const signed = signedContent(id, timestamp, payload);
  const given = signatures.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [bytesOf(entry.slice(3))] : []));
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(each, 'verify');
    for (const signature of given) {
      // Compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(typeof payload === 'string' ? payload : new TextDecoder().decode(payload)) as Event;
    }
  }
  throw new WebhookVerificationError('No signature matches the secret.');
}

/** The headers that Toledo would send with this body. */
export async function signWebhook(
  payload: string | Uint8Array,
  id: string,
  secret: string,
  now = new Date(),
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = await crypto.subtle.sign(
    'HMAC',
    await keyOf(secret, 'sign'),
    signedContent(id, timestamp, payload),
  );
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${text}` };
}

function signedContent(id: string, timestamp: string, payload: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

async function keyOf(secret: string, use: 'sign' | 'verify') {
  const raw = bytesOf(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret);
  if (!raw?.length) throw new WebhookVerificationError('The secret is not one of a webhook.');
  return await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value.join(' ') : value;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
