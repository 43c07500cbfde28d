/** What codes are called on pages for people. */

const languages = new Intl.DisplayNames('en', { type: 'language' });

/** A sandbox scenario, such as `de-x-slow`, is named after its language. */
export function languageName(tag: string): string {
  if (tag === 'auto') return 'detected';
  const [language = '', scenario] = tag.split('-x-');
  const name = isTag(language) ? (languages.of(language) ?? language) : language;
  return scenario === undefined ? name : `${name} (${scenario})`;
}

function isTag(text: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(text);
}

/** An action without a target has one language only. */
export function languagePair(source: string | null | undefined, target: string | null | undefined): string {
  const from = languageName(source ?? 'auto');
  return target ? `${from} → ${languageName(target)}` : from;
}

/** `token_estimate` and other words of the API. */
export function inPlainWords(word: string): string {
  return word.replaceAll('_', ' ');
}

/** Plain JSON, as counts and details are kept; what nobody gave says nothing. */
export function jsonInWords(value: unknown): string {
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return Object.entries(value)
      .filter(([, part]) => part !== null && part !== undefined)
      .map(([name, part]) => `${inPlainWords(name)}: ${jsonInWords(part)}`)
      .join(', ');
  if (typeof value === 'number') return value.toLocaleString('en');
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1_000);
}

const files: Readonly<Record<string, string>> = {
  translated: 'Translated book',
  bilingual: 'Bilingual book',
  corrected: 'Corrected book',
  glossary: 'Glossary (CSV)',
  glossary_tbx: 'Glossary (TBX)',
  report: 'Report (JSON)',
  xliff: 'XLIFF',
  tmx: 'TMX',
};

export function nameOfFile(fileId: string): string {
  return files[fileId] ?? fileId;
}
