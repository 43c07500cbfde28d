/** The model writes plain quotation marks and spaced dashes; English books do not. */
export function typesetEnglish(text: string): string {
  return withoutLooseQuotes(text)
    .replace(/(?<=\S) — (?=\S)/gu, '—')
    .replace(/\.(?: ?\.){2,}/g, '…')
    .replace(/(^|[\s([{—–<>/])"(?=\S)/gu, '$1“')
    .replace(/"(?=\p{L})(?<=(?:^|[^\p{L}\p{N}.,!?…])")/gu, '“')
    .replaceAll('"', '”')
    .replace(/(^|[\s([{“—–])'(?=(?:tis|twas|em|til|cause|bout)\b)/giu, '$1’')
    .replace(/(^|[\s([{“—–])'(?=\S)/gu, '$1‘')
    .replaceAll("'", '’');
}

/** `she said, " Edmond` opens and `I know, " she said` closes: those that stand free open and close in turn. */
function withoutLooseQuotes(text: string): string {
  const parts = text.split('"');
  return parts.reduce((out, part, i) => {
    const opens = i % 2 === 1;
    const free = /(?:^|\s)$/u.test(out) && /^(?:\s|$)/u.test(part);
    if (!free) return `${out}"${part}`;
    return opens ? `${out}"${part.trimStart()}` : `${out.trimEnd()}"${part}`;
  });
}

const smallWords = new Set('a an and as at but by for from in into nor of on or the to with'.split(' '));

/** Titles of chapters as English books print them. Names keep the letters they have. */
export function englishTitle(title: string): string {
  let first = true;
  return title.replace(/(?<![\p{L}\p{N}<’])\p{L}[\p{L}\p{M}’-]*/gu, (word) => {
    const small = !first && smallWords.has(word.toLowerCase());
    first = false;
    if (small) return word.toLowerCase();
    return /^\p{Ll}/u.test(word) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  });
}
