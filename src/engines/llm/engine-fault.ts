import { APICallError } from 'ai';
import { EngineError } from '../engine.ts';
import { providerMessage } from '../provider-message.ts';
import { retryAfterMs } from './retry-after.ts';

/** Turns any error of the SDK into one of our kinds. Messages have the status and what the provider said, never book text or keys. */
export function engineFault(
  error: unknown,
  nowMs: number,
  sent: { keys: readonly string[]; texts: readonly string[] },
): EngineError {
  const own = ownFault(error);
  if (own !== undefined) return own;
  const inner = lastOf(error);
  if (!APICallError.isInstance(inner)) {
    const wasNetwork = networkCode(inner);
    return wasNetwork === undefined
      ? new EngineError('malformed', `unreadable answer: ${nameOf(inner)}`, { cause: outlineOf(inner) })
      : new EngineError('transport', `connection failed: ${wasNetwork}`, { cause: outlineOf(inner) });
  }
  const { statusCode: status, responseHeaders = {}, responseBody } = inner;
  if (status === undefined) {
    return new EngineError('transport', `connection failed: ${networkCode(inner) ?? nameOf(inner)}`, {
      cause: outlineOf(inner),
    });
  }
  const waitMs = retryAfterMs(lowerCased(responseHeaders), responseBody, nowMs);
  const kind = kindOf(status, responseBody ?? '', waitMs !== undefined, networkCode(inner) !== undefined);
  const said = providerMessage(responseBody, sent);
  return new EngineError(kind, `answered ${status}${said === '' ? '' : `: ${said}`}`, {
    cause: outlineOf(inner),
    status,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
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

function kindOf(status: number, body: string, asksToWait: boolean, cutOff: boolean): EngineError['kind'] {
  if (status < 400) return cutOff ? 'transport' : 'malformed';
  const sayMoney =
    /insufficient_quota|insufficient[ _]balance|billing|credit balance|payment required|spend(?:ing)? limit/iu.test(
      body,
    );
  if (status === 402 || /insufficient_quota|billing_(?:error|hard_limit)/iu.test(body)) return 'spend-limit';
  // Gemini reports a plain per-minute limit like a used-up plan, but with a time to come back.
  if (status === 429)
    return !asksToWait && (sayMoney || /exceeded your current quota/iu.test(body)) ? 'spend-limit' : 'rate-limited';
  if (status < 500 && sayMoney) return 'spend-limit';
  if (status === 400 && /content_filter|content_policy|safety/iu.test(body)) return 'refused';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 409 || status === 425 || status >= 500) return 'overloaded';
  return 'rejected';
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
