import { readLines } from './answer-lines.ts';
import { jsonValuesIn } from './json-values.ts';
import { numberAndText } from './numbered-line.ts';
import { withoutThoughts } from './thoughts.ts';

/**
 * The changed lines of an editor's answer, by number from 1. An answer that says that there are none is an empty map; one that says
 * neither is undefined.
 * @param standing the lines that the editor was shown
 */
export function readEdits(
  answer: string,
  standing: readonly string[],
  isCut: boolean,
): ReadonlyMap<number, string> | undefined {
  const lines = readLines(answer, { sources: standing, isCut });
  if (lines.size > 0) return lines;
  const text = withoutThoughts(answer, standing);
  if (isCut) return undefined;
  return saysNone(text) ? new Map() : someLines(text, standing.length);
}

function saysNone(text: string): boolean {
  if (/^\W*none\W*$/iu.test(text)) return true;
  const last = jsonValuesIn(text).whole.at(-1);
  const lists = Array.isArray(last) ? [last] : Object.values(typeof last === 'object' && last !== null ? last : {});
  return lists.length === 1 && Array.isArray(lists[0]) && lists[0].length === 0;
}

/** Plain lines, each with a number that was asked about: anything beside them makes the numbers doubtful. */
function someLines(text: string, count: number): Map<number, string> | undefined {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(numberAndText);
  const textByNumber = new Map(lines.flatMap((line) => (line === undefined ? [] : [[line.number, line.text]])));
  const isCertain =
    textByNumber.size === lines.length && [...textByNumber.keys()].every((number) => number >= 1 && number <= count);
  return isCertain && textByNumber.size > 0 ? textByNumber : undefined;
}
