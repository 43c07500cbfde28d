import { durationMs, type Headers, rateAllowances } from './rate-headers.ts';

/**
 * How long a server asks us to wait. In this order: milliseconds (OpenAI, Azure), seconds or an HTTP date, what the body says
 * (Google's RetryInfo, "try again in 20s", the next flush of GLM), the reset of the allowance that is used up. A minimum for the next
 * call, without an upper limit.
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
