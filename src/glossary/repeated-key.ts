/**
 * The first key that a JSON object has twice, on its top level. `JSON.parse` keeps the last value without a word, and a
 * glossary that lost an entry that way steers a whole book wrong. `text` must be valid JSON.
 * @param kept how many keys `JSON.parse` has found
 */
export function repeatedKey(text: string, kept: number): string | undefined {
  // A megabyte is counted in a millisecond and taken apart in thirty.
  if (countMembers(text) === kept) return undefined;
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

/** Members of the outermost object, repeated ones too. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === colon && depth === 1) members++;
    // `{` and `[`, `}` and `]` differ in one bit.
    else if ((code | 0x20) === 0x7b) depth++;
    else if ((code | 0x20) === 0x7d) depth--;
  }
  return members;
}

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** Where the string that opens at `start` closes: at the first quotation mark with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
}
