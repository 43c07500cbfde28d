/** The model writes plain quotation marks and spaced dashes; English books do not. */
export function typesetEnglish(text: string): string {
  return text
    .replace(/(?<=\S) — (?=\S)/gu, '—')
    .replace(/\.{3}/g, '…')
    .replace(/(^|[\s([{—–<>/])"(?=\S)/gu, '$1“')
    .replace(/"(?=\p{L})(?<=(?:^|[^\p{L}\p{N}.,!?…])")/gu, '“')
    .replaceAll('"', '”')
    .replace(/(^|[\s([{“—–])'(?=(?:tis|twas|em|til|cause|bout)\b)/giu, '$1’')
    .replace(/(^|[\s([{“—–])'(?=\S)/gu, '$1‘')
    .replaceAll("'", '’');
}

const smallWords = new Set('a an and as at but by for from in into nor of on or the to with'.split(' '));

/** Titles of chapters as English books print them. Names keep the letters they have. */
export function titleCase(title: string): string {
  let first = true;
  return title.replace(/(?<![\p{L}\p{N}<’])\p{L}[\p{L}\p{M}’-]*/gu, (word) => {
    const small = !first && smallWords.has(word.toLowerCase());
    first = false;
    if (small) return word.toLowerCase();
    return /^\p{Ll}/u.test(word) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  });
}
