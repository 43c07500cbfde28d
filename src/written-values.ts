/** How a value is read from what somebody wrote: in a form, a request, a setting or a command. Each caller words its own fault. */

/** Decimal digits only: `1e6`, `10_000`, `10.0`, ` 5` or `-1` are mistakes, not numbers. */
export function wholeNumberOf(text: string): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

export function isOneOf<const T extends string>(text: unknown, allowed: readonly T[]): text is T {
  return (allowed as readonly unknown[]).includes(text);
}
