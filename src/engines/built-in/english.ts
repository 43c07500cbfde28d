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
