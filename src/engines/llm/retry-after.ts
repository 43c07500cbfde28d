/**
 * How long a server asks us to wait: `retry-after-ms`, `retry-after` in seconds or as an HTTP date, or the
 * `retryDelay` that Google puts into the body. A minimum for the next call, without an upper limit.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  nowMs: number,
): number | undefined {
  const milliseconds = positive(headers['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const header = headers['retry-after']?.trim();
  const seconds = positive(header);
  if (seconds !== undefined) return seconds * 1000;
  if (header !== undefined) {
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - nowMs);
  }
  const delay = positive(/"retryDelay"\s*:\s*"([\d.]+)s"/u.exec(body ?? '')?.[1]);
  return delay === undefined ? undefined : delay * 1000;
}

function positive(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/u.test(text.trim()) ? Number(text) : undefined;
}
