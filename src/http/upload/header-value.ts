export interface HeaderValue {
  /** The part before the first semicolon, in lower case: a media type, or `form-data`. */
  value: string;
  /** Names in lower case; quoted values without their quotes. */
  parameters: Map<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const valuePattern = new RegExp(`[ \\t]*(${token}(?:/${token})?)[ \\t]*`, 'y');
/**
 * In a quoted value only `\"` is an escape: clients send `C:\books\a.txt` with bare backslashes, and reading
 * those as escapes would eat them.
 */
const parameterPattern = new RegExp(`;[ \\t]*(${token})=(?:(${token})|"((?:\\\\"|[^"])*)")[ \\t]*`, 'y');

/** Reads `value; name=token; name="quoted"`. Undefined when it is not exactly that, or a parameter comes twice. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  valuePattern.lastIndex = 0;
  const value = valuePattern.exec(text)?.[1];
  if (value === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = valuePattern.lastIndex;
  while (at < text.length) {
    if (/^[ \t]*;?[ \t]*$/.test(text.slice(at))) break;
    parameterPattern.lastIndex = at;
    const match = parameterPattern.exec(text);
    if (!match) return undefined;
    const name = (match[1] ?? '').toLowerCase();
    if (parameters.has(name)) return undefined;
    parameters.set(name, match[2] ?? (match[3] ?? '').replaceAll('\\"', '"'));
    at = parameterPattern.lastIndex;
  }
  return { value: value.toLowerCase(), parameters };
}
