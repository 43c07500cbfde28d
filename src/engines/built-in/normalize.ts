/**
 * Text as the model saw it in training: one spelling of quotation marks, dashes and spaces. What English wants is put
 * back by `english.ts`. Every rule here must stay as it was in training, or the model reads something it never saw.
 */
export function normalizeSource(text: string): string {
  let plain = text.replace(invisible, '').normalize('NFKC');
  // German books quote »so«, French ones « ainsi »: the same marks the other way round.
  if (/(^|[\s("—-])»(?=\S)/u.test(plain) && !/«\s*\p{L}/u.test(plain)) plain = plain.replace(/[»«]/g, '"');
  return plain
    .replace(/[“”„‟]|''|``/g, '"')
    .replace(/[‘’‚‛ʼ`´]/g, "'")
    .replace(/«\s*|»\s*(?=[\p{L}\p{N}_])/gu, (mark) => (mark.startsWith('«') ? '"' : '" '))
    .replace(/\s*»/g, '"')
    .replace(/[‐‑]/g, '-')
    .replace(/\s*(?:--+|―)\s*|\s*—\s*/g, (dash) => (dash.includes(' ') ? ' — ' : '—'))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Zero-width characters, soft hyphens, marks of direction. */
const invisible = /[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e]/g;
