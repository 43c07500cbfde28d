import { APICallError } from 'ai';
import { EngineError } from '../engine-error.ts';
import { providerMessage } from '../provider-message.ts';
import { adaptTo, type SentCall } from './adapt.ts';
import type { Capabilities } from './capabilities.ts';
import { readComplaint } from './complaint.ts';
import { classifyFault } from './provider-faults.ts';
import { retryAfterMs } from './retry-after.ts';

export interface FailedCall {
  sent: SentCall;
  capabilities: Capabilities;
  /** What must not be quoted: keys, and the texts that were sent. */
  keys: readonly string[];
  texts: readonly string[];
  nowMs: number;
}

/** Turns any error of a call into one of our kinds. Messages have the status and what the provider said, never book text or keys. */
export function callFault(error: unknown, call: FailedCall): EngineError {
  const knownFault = ownFault(error);
  if (knownFault !== undefined) return knownFault;
  const inner = lastOf(error);
  const answer = failedAnswer(inner);
  if (answer !== undefined) return answeredFault(answer, call, inner);
  const code = networkCode(inner);
  if (code === undefined && !isUnanswered(inner))
    return new EngineError('malformed', `unreadable answer: ${nameOf(inner)}`, { cause: outlineOf(inner) });
  return new EngineError('transport', `connection failed: ${code ?? nameOf(inner)}`, { cause: outlineOf(inner) });
}

/** The answer inside of a fault: Groq hands over what its model wrote when that is no valid JSON. */
export function answerInFault(error: unknown): string | undefined {
  const answer = failedAnswer(lastOf(error));
  return answer && readComplaint(answer.status, answer.body).answer;
}

/** What the server answered instead of an answer. */
interface FailedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

function answeredFault({ status, headers, body }: FailedAnswer, call: FailedCall, cause?: unknown): EngineError {
  const { capabilities, sent } = call;
  const waitMs = retryAfterMs(headers, body, call.nowMs);
  const complaint = readComplaint(status, body);
  const fault = classifyFault(complaint, waitMs !== undefined);
  const adapted = adaptTo(fault, complaint, sent, capabilities);
  // A parameter that we cannot leave out is a fault of nobody knows what.
  const kind = fault.kind === 'parameter' && !adapted ? 'bad-input' : fault.kind;
  const isLasting = kind === 'bad-input' && capabilities.rejected();
  const said = providerMessage(body, call);
  const words = `answered ${status}${said === '' ? '' : `: ${said}`}`;
  return new EngineError(isLasting ? 'unusable' : kind, isLasting ? `${words} (to every call)` : words, {
    cause: cause === undefined ? undefined : outlineOf(cause),
    status,
    adapted,
    retryAfterMs: waitMs,
  });
}

/** A status of 400 and more, or an event in the middle of a stream that says what went wrong. */
function failedAnswer(error: unknown): FailedAnswer | undefined {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders = {}, responseBody = '' } = error;
    return status === undefined || status < 400
      ? undefined
      : { status, headers: lowerCased(responseHeaders), body: responseBody };
  }
  if (typeof error !== 'object' || error === null || (error instanceof Error && !('data' in error))) return undefined;
  const event = error as { message?: unknown; statusCode?: unknown; code?: unknown; data?: unknown };
  if (typeof event.message !== 'string') return undefined;
  const status = [event.statusCode, event.code].map(Number).find((code) => code >= 400 && code < 600);
  return { status: status ?? 500, headers: {}, body: JSON.stringify({ error: { ...event, message: event.message } }) };
}

function isUnanswered(error: unknown): boolean {
  return APICallError.isInstance(error) && error.statusCode === undefined;
}

/** A fault of ours that the SDK has wrapped: an answer that was cut off. */
function ownFault(error: unknown): EngineError | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth++) {
    if (current instanceof EngineError) return current;
    current = 'lastError' in current ? current.lastError : 'cause' in current ? current.cause : undefined;
  }
  return undefined;
}

/** `maxRetries: 0` should leave nothing wrapped; an SDK that wraps anyway must not hide the status from us. */
function lastOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'lastError' in error && error.lastError
    ? error.lastError
    : error;
}

/** Walks the causes to the system's own code, such as ECONNREFUSED or UND_ERR_SOCKET. */
function networkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth++) {
    if ('code' in current && typeof current.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/u.test(current.code))
      return current.code;
    if (current instanceof TypeError && /fetch failed|terminated/iu.test(current.message) && !('cause' in current))
      return current.message;
    current = 'cause' in current ? current.cause : undefined;
  }
  return undefined;
}

/**
 * The parts of a foreign error that we keep, because it ends up in a log: its name, the system's code and where it was thrown.
 * Its message quotes the server's answer, and servers quote the caller's key and text.
 */
function outlineOf(error: unknown): Error {
  const name = nameOf(error);
  const { message = '', stack = '' } = error instanceof Error ? error : {};
  const [before, ...frames] = stack.split(message || '\n');
  const known = before !== undefined && before.length < stack.length;
  return Object.assign(new Error(''), {
    name,
    code: networkCode(error),
    stack: known ? `${name}${frames.at(-1)}` : name,
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
