/**
 * What is left of a provider's limits, as it says with every answer: `x-ratelimit-remaining-tokens` (OpenAI, Azure, Groq, Mistral and
 * others), `anthropic-ratelimit-input-tokens-remaining`, `x-ratelimit-remaining` (Kimi).
 */
import type { RateAllowance } from '../engine.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

/** A unit with the headers of what remains of it and of its reset. */
const limitHeaders = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (unit) => [unit, `anthropic-ratelimit-${unit}-remaining`, `anthropic-ratelimit-${unit}-reset`] as const,
  ),
  ...['requests', 'tokens', ''].map((unit) => {
    const suffix = unit && `-${unit}`;
    return [unit, `x-ratelimit-remaining${suffix}`, `x-ratelimit-reset${suffix}`] as const;
  }),
];

export function rateAllowances(headers: Headers, nowMs: number): RateAllowance[] {
  return limitHeaders.flatMap(([unit, remainingName, resetName]) => {
    const remaining = Number(headers[remainingName] || Number.NaN);
    const resetMs = durationMs(headers[resetName] ?? '', nowMs);
    if (Number.isNaN(remaining) || resetMs === undefined) return [];
    return [{ unit: unit.includes('tokens') ? 'tokens' : 'requests', remaining, resetMs }];
  });
}

/** `6ms`, `1s`, `6m0s`, `1h2m3.5s`, seconds, seconds or milliseconds since 1970, or a date. Undefined when it is none of them. */
export function durationMs(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) {
    const number = Number(value);
    if (number > 1e12) return Math.max(0, number - nowMs);
    return number > 1e9 ? Math.max(0, number * 1000 - nowMs) : number * 1000;
  }
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gu)];
  if (parts.length > 0 && parts.map(([part]) => part).join('') === value)
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * How long a server asks us to wait. Milliseconds (OpenAI, Azure) come first, then seconds or an HTTP date. Next is what the body
 * says: Google's RetryInfo, "try again in 20s", the next flush of GLM. Last is the reset of the allowance that is used up. It is a
 * minimum for the next call, without an upper limit.
 */
export function retryAfterMs(headers: Headers, body: string | undefined, nowMs: number): number | undefined {
  const milliseconds = positive(headers['retry-after-ms']) ?? positive(headers['x-ms-retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const header = headers['retry-after']?.trim();
  const seconds = positive(header);
  if (seconds !== undefined) return seconds * 1000;
  if (header !== undefined) {
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - nowMs);
  }
  return waitInBody(body ?? '', nowMs) ?? waitForReset(headers, nowMs);
}

function waitInBody(body: string, nowMs: number): number | undefined {
  const [, delay] = /"retryDelay"\s*:\s*"([\d.]+)s"/u.exec(body) ?? [];
  if (delay !== undefined) return Number(delay) * 1000;
  const [, words] = /(?:try again|retry) in (\d[\d.]*\s?(?:ms|s|m|h)?(?:\d[\d.]*s)?)/iu.exec(body) ?? [];
  if (words !== undefined) return durationMs(words.replaceAll(' ', ''), nowMs);
  const [, flush] = /"next_flush_time"\s*:\s*"?(\d{10,13})/u.exec(body) ?? [];
  return flush === undefined ? undefined : durationMs(flush, nowMs);
}

function waitForReset(headers: Headers, nowMs: number): number | undefined {
  const spent = rateAllowances(headers, nowMs).filter(({ remaining }) => remaining <= 0);
  return spent.length === 0 ? undefined : Math.max(...spent.map(({ resetMs }) => resetMs));
}

function positive(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/u.test(text.trim()) ? Number(text) : undefined;
}
