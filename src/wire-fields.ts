/** Fields as they are sent: in snake_case, times as text, and null for what is not there. */
export function wireFields<T extends object, Name extends keyof T & string>(value: T, ...names: Name[]): Wire<T, Name> {
  const sent = (field: unknown) => (field instanceof Date ? field.toISOString() : (field ?? null));
  return Object.fromEntries(names.map((name) => [wireName(name), sent(value[name])])) as Wire<T, Name>;
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Wire<T, Name extends keyof T & string> = { [Each in Name as WireName<Each>]: WireValue<T[Each]> };
type WireValue<Value> = Value extends undefined ? null : Value extends Date ? string : Value;
type WireName<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${WireName<Tail>}`
  : Name;
