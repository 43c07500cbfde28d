/**
 * What is left of a provider's limits, as it says with every answer: `x-ratelimit-remaining-tokens` (OpenAI, Azure, Groq, Mistral and
 * others), `anthropic-ratelimit-input-tokens-remaining`, `x-ratelimit-remaining` (Kimi).
 */
import type { RateAllowance } from '../engine.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

const anthropicUnits = ['requests', 'tokens', 'input-tokens', 'output-tokens'];
const usualUnits = ['requests', 'tokens', ''];

export function rateAllowances(headers: Headers, nowMs: number): RateAllowance[] {
  const rows = [
    ...anthropicUnits.map((unit) => ({
      unit,
      remaining: headers[`anthropic-ratelimit-${unit}-remaining`],
      reset: headers[`anthropic-ratelimit-${unit}-reset`],
    })),
    ...usualUnits.map((unit) => ({
      unit,
      remaining: headers[`x-ratelimit-remaining${unit && `-${unit}`}`],
      reset: headers[`x-ratelimit-reset${unit && `-${unit}`}`],
    })),
  ];
  return rows.flatMap(({ unit, remaining, reset }) => {
    const left = Number(remaining);
    const resetMs = reset === undefined ? undefined : durationMs(reset, nowMs);
    if (remaining === undefined || remaining === '' || Number.isNaN(left) || resetMs === undefined) return [];
    return [{ unit: unit.includes('tokens') ? 'tokens' : 'requests', remaining: left, resetMs }];
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
