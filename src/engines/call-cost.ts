import type { EnginePrices, EngineUsage } from './engine.ts';

/**
 * Money in millionths of a millionth, so that sums of many calls are exact. Tokens read from the cache and tokens written to it are part of
 * the prompt and have prices of their own.
 */
export function costOf(usage: EngineUsage, prices: EnginePrices): bigint {
  const { inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens } = usage;
  const plainTokens = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  return (
    times(plainTokens, prices.input) +
    times(cachedInputTokens, prices.cachedInput) +
    times(cacheWriteTokens, prices.cacheWrite) +
    times(outputTokens, prices.output)
  );
}

/** A price per million tokens with six decimals is a whole number of millionths of a millionth for one token. */
function times(tokens: number, pricePerMillion: number): bigint {
  return BigInt(Math.round(tokens)) * BigInt(Math.round(pricePerMillion * 1_000_000));
}
