import { script, scriptOfUnit } from '../../language/scripts.ts';

/** More than any real book has; beyond that new ones are not counted. */
const maxPairs = 2_000_000;

/** How often Han characters occur, and two of them side by side. All are UTF-16 units. */
export function countHanPairs(texts: Iterable<string>): {
  total: number;
  single: (unit: number) => number;
  pair: (a: number, b: number) => number;
} {
  const single = new Int32Array(65_536);
  const pairs = new Map<number, number>();
  let total = 0;
  for (const text of texts) {
    let previous = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      const isHan = scriptOfUnit(unit) === script.han;
      if (isHan) {
        total++;
        single[unit] = (single[unit] ?? 0) + 1;
      }
      const count = isHan && previous !== 0 ? (pairs.get(keyOf(previous, unit)) ?? 0) : undefined;
      if (count !== undefined && (count > 0 || pairs.size < maxPairs)) pairs.set(keyOf(previous, unit), count + 1);
      previous = isHan ? unit : 0;
    }
  }
  return { total, single: (unit) => single[unit] ?? 0, pair: (a, b) => pairs.get(keyOf(a, b)) ?? 0 };
}

/** A small integer, which maps keep without an object of its own. */
function keyOf(a: number, b: number): number {
  return (a << 16) | b;
}
