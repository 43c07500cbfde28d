/**
 * The first key that a JSON object has twice, on its top level. `JSON.parse` keeps the last value without a word, and a
 * glossary that lost an entry that way steers a whole book wrong. `text` must be valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const keys = new Set<string>();
  let depth = 0;
  let previous = '';
  for (const { 0: token } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (token === ':' && depth === 1) {
      const key: string = JSON.parse(previous);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    previous = token;
  }
  return undefined;
}

/** Strings and punctuation; numbers and words between them do not matter here. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;
