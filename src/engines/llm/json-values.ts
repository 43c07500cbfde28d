/** Finds JSON in what a model wrote around it. One pass each, because answers are as long as a server likes. */

export interface JsonValues {
  /** Whole values that stand in no other one, in their order. Prose around them is skipped. */
  whole: unknown[];
  /** Of a value that was cut: the whole values in it, in their order. */
  inCut: unknown[];
}

export function jsonValuesIn(text: string): JsonValues {
  const whole: unknown[] = [];
  /** Brackets that are open, with where they stand and what is whole inside of them. */
  const open: { bracket: string; at: number; inside: [from: number, to: number][] }[] = [];
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const innermost = open.at(-1);
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '{' || character === '[') open.push({ bracket: character, at, inside: [] });
    else if (character === '"') isInString = innermost !== undefined;
    else if (innermost !== undefined && character === closed[innermost.bracket]) {
      open.pop();
      const outer = open.at(-1);
      if (outer === undefined) whole.push(...parsed(text.slice(innermost.at, at + 1)));
      else outer.inside.push([innermost.at, at + 1]);
    }
  }
  const inCut = open.flatMap(({ inside }) => inside).flatMap(([from, to]) => parsed(text.slice(from, to)));
  return { whole, inCut };
}

const closed: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Of a value that is broken: the objects and lists in it that hold no other and are whole. */
export function flatValuesIn(text: string): unknown[] {
  return [...text.matchAll(/\{[^{}]*\}|\[[^[\]{}]*\]/gu)].flatMap(([raw]) => parsed(raw));
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json) as unknown];
  } catch {
    return [];
  }
}
