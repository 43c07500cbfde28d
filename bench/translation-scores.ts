/** BLEU and chrF2 of whole test sets, by the definitions of sacreBLEU (13a tokens; character n-grams up to 6, β = 2). */
export function bleu(translations: readonly string[], references: readonly string[]): number {
  const matches = [0, 0, 0, 0];
  const totals = [0, 0, 0, 0];
  let length = 0;
  let referenceLength = 0;
  for (const [i, translation] of translations.entries()) {
    const own = tokens13a(translation);
    const wanted = tokens13a(references[i] ?? '');
    length += own.length;
    referenceLength += wanted.length;
    for (let n = 1; n <= 4; n++) {
      matches[n - 1] = (matches[n - 1] ?? 0) + overlap(ngrams(own, n, '\u0001'), ngrams(wanted, n, '\u0001'));
      totals[n - 1] = (totals[n - 1] ?? 0) + Math.max(0, own.length - n + 1);
    }
  }
  if (matches.includes(0)) return 0;
  const precision = matches.reduce((sum, count, i) => sum + Math.log(count / (totals[i] ?? 1)) / 4, 0);
  return 100 * Math.min(1, Math.exp(1 - referenceLength / Math.max(1, length))) * Math.exp(precision);
}

export function chrF(translations: readonly string[], references: readonly string[]): number {
  const orders = 6;
  const matches = new Array<number>(orders).fill(0);
  const own = new Array<number>(orders).fill(0);
  const wanted = new Array<number>(orders).fill(0);
  for (const [i, translation] of translations.entries()) {
    const [a, b] = [translation, references[i] ?? ''].map((text) => [...text.replace(/\s+/g, '')]);
    for (let n = 1; n <= orders; n++) {
      const [left, right] = [ngrams(a ?? [], n, ''), ngrams(b ?? [], n, '')];
      matches[n - 1] = (matches[n - 1] ?? 0) + overlap(left, right);
      own[n - 1] = (own[n - 1] ?? 0) + sizeOf(left);
      wanted[n - 1] = (wanted[n - 1] ?? 0) + sizeOf(right);
    }
  }
  const share = (of: readonly number[]): number =>
    matches.reduce((sum, count, i) => sum + (of[i] ? count / (of[i] ?? 1) : 0), 0) / orders;
  const [precision, recall] = [share(own), share(wanted)];
  return precision + recall === 0 ? 0 : (100 * 5 * precision * recall) / (4 * precision + recall);
}

function tokens13a(text: string): string[] {
  return ` ${text} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
    .split(/\s+/)
    .filter((token) => token !== '');
}

function ngrams(items: readonly string[], n: number, glue: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= items.length; i++) {
    const gram = items.slice(i, i + n).join(glue);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [gram, count] of a) common += Math.min(count, b.get(gram) ?? 0);
  return common;
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
