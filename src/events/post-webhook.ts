/** One request to a partner's endpoint: bounded in time and bytes, without redirects, to the address that was checked. */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { DeliveryFault, DeliveryResult } from './webhook.ts';
import { resolveTarget, type TargetPolicy, TargetRefused, type WebhookTarget } from './webhook-target.ts';

/** From looking the host up to the head of the answer. */
export const attemptTimeoutMs = 10_000;
/** The verdict is in the head; what is behind it is waited for a moment, to be shown to the partner. */
const bodyTimeoutMs = 1_000;
const maxAnswerBytes = 16 * 1024;
const keptAnswerBytes = 1_024;

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Never throws for what the endpoint does. @throws the signal's reason */
export async function postWebhook(
  request: WebhookRequest,
  policy: TargetPolicy,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  signal.throwIfAborted();
  const started = performance.now();
  const ended = (result: Partial<DeliveryResult>): DeliveryResult => ({
    durationMs: Math.round(performance.now() - started),
    statusCode: undefined,
    error: undefined,
    answer: undefined,
    retryAfterSeconds: undefined,
    ...result,
  });
  // The attempt ends with this timer whatever the socket, the name server or the driver of either reports or keeps silent about.
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new AttemptTimeout()), attemptTimeoutMs);
  const closing = new AbortController();
  const closed = AbortSignal.any([closing.signal, signal]);
  try {
    const response = await Promise.race([answerHead(request, policy, closed), deadline.promise]);
    const answer = await readAnswer(response);
    const statusCode = response.statusCode ?? 0;
    return ended({ statusCode, error: faultOf(statusCode), answer, retryAfterSeconds: retryAfterOf(response) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return ended({ error: error instanceof AttemptTimeout ? 'timeout' : faultOfError(error) });
  } finally {
    clearTimeout(timer);
    // No connection outlives its attempt.
    closing.abort();
  }
}

class AttemptTimeout extends Error {}

async function answerHead(
  request: WebhookRequest,
  policy: TargetPolicy,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return await send(await resolveTarget(request.url, policy, signal), request, signal);
}

/** Resolves with the head of the answer. */
async function send(
  { url, address }: WebhookTarget,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const options: RequestOptions & { servername?: string } = {
    method: 'POST',
    // An address, so nothing is left to look up.
    host: address,
    port: url.port || (secure ? 443 : 80),
    path: url.pathname + url.search,
    headers: {
      ...request.headers,
      host: url.host,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(request.body),
      'user-agent': 'Toledo-Webhooks/1',
      accept: '*/*',
    },
    // A connection of its own: none is kept open to anybody, and none is shared between partners.
    agent: false,
    maxHeaderSize: maxAnswerBytes,
    signal,
    ...(secure && isIP(host) === 0 ? { servername: host } : {}),
  };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent: ClientRequest = (secure ? httpsRequest : httpRequest)(options, resolve);
    // "101 Switching Protocols": a verdict like any other, but the connection is ours to close.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      response.destroy();
      resolve(response);
    });
    sent.on('error', reject);
    sent.on('close', () => reject(new Error('the endpoint closed the connection without an answer')));
    sent.end(request.body);
  });
}

/** The beginning of the body as text. Whatever the endpoint does now, the verdict stands. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, bodyTimeoutMs);
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxAnswerBytes) over.resolve();
  });
  // Ended, cut off by them, or broken.
  for (const event of ['end', 'close', 'error']) response.on(event, () => over.resolve());
  if (response.destroyed) over.resolve();
  await over.promise;
  clearTimeout(timer);
  response.destroy();
  // PostgreSQL cannot hold U+0000 in text.
  return Buffer.concat(chunks).subarray(0, keptAnswerBytes).toString().replaceAll('\0', '\ufffd');
}

function faultOf(statusCode: number): DeliveryFault | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  return statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status';
}

function faultOfError(error: unknown): DeliveryFault {
  if (error instanceof TargetRefused) return error.fault;
  const code = String((error as { code?: unknown }).code ?? '');
  if (code.startsWith('HPE_')) return 'malformed_answer';
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/.test(code)
    ? 'tls'
    : 'connection';
}

/** Whole seconds only; a date would need their clock to be right. */
function retryAfterOf(response: IncomingMessage): number | undefined {
  const value = response.headers['retry-after'] ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
