/** Whether the change of a line is a change of that line, and not of another one: an editor may count wrongly. */
import { stripInlineTags } from '../inline-tags.ts';

/** As like another line as this, and so much more than its own: it is the other's. Lines of one book are a little like each other anyway. */
const leastLikeness = 0.5;
const leastDifference = 0.1;

/**
 * True where every changed line is like the line that it changes.
 * @param lines as they stand
 * @param changed new texts by index
 */
export function areInTheirPlaces(lines: readonly string[], changed: ReadonlyMap<number, string>): boolean {
  if (changed.size === 0) return true;
  const standing = lines.map(pairsOf);
  return [...changed].every(([at, text]) => {
    const pairs = pairsOf(text);
    const most = Math.max(leastLikeness, likeness(pairs, standing[at]) + leastDifference);
    return most >= 1 || standing.every((other) => likeness(pairs, other) <= most);
  });
}

/** The share of pairs of letters that two texts have in common, 0 to 1. */
function likeness(own: ReadonlySet<string>, other: ReadonlySet<string> = new Set()): number {
  return (2 * own.intersection(other).size) / Math.max(1, own.size + other.size);
}

function pairsOf(text: string): Set<string> {
  const letters = [...stripInlineTags(text).toLowerCase()];
  return new Set(letters.slice(1).map((letter, i) => `${letters[i]}${letter}`));
}
