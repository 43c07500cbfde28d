import { stripInlineTags } from '../inline-tags.ts';
import { headingShape } from '../language/headings.ts';

/**
 * The level whose headings begin chapters: the highest that has several. A single heading above them is the title of the book or
 * of its volume. "Part One" and "Part Two" stand above chapters where there is a level below. Undefined when no level has several.
 */
export function levelOfChapters(headings: readonly { level: number; text: string }[]): number | undefined {
  const byLevel = new Map<number, string[]>();
  for (const { level, text } of headings) {
    if (level === 0) continue;
    const texts = byLevel.get(level) ?? [];
    texts.push(text);
    byLevel.set(level, texts);
  }
  const several = [...byLevel].filter(([, texts]) => texts.length > 1).sort(([a], [b]) => a - b);
  return (several.find(([, texts]) => !areParts(texts)) ?? several[0])?.[0];
}

function areParts(texts: readonly string[]): boolean {
  const parts = texts.filter((text) => headingShape(stripInlineTags(text).trim())?.level === 'part');
  // A prologue or an index may stand beside them.
  return parts.length * 2 > texts.length;
}
