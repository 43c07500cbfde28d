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
