/** The languages that a file should be in. */
export interface InterchangeLanguages {
  /** Undefined = any: the file says it. */
  sourceLang: string | undefined;
  targetLang: string;
}

/** `en` and `en-US` are one language to a memory; tools write either. */
export function sameLanguage(given: string, wanted: string): boolean {
  const primary = (tag: string) => tag.toLowerCase().split(/[-_]/)[0];
  return primary(given) === primary(wanted);
}

/** The texts of one unit in both languages; of several in the target language the last. */
export function pairIn<T extends { lang: string }>(
  texts: readonly T[],
  { sourceLang, targetLang }: InterchangeLanguages,
): { source: T | undefined; target: T | undefined } {
  const target = texts.findLast(({ lang }) => sameLanguage(lang, targetLang));
  const isSource = ({ lang }: T) => sourceLang === undefined || sameLanguage(lang, sourceLang);
  return { source: texts.find((each) => each !== target && isSource(each)), target };
}
