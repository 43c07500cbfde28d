/**
 * The languages a partner can ask for, and how a code is read. Names, scripts and directions come from the
 * runtime's Unicode data (CLDR), so this file holds nothing but the list.
 */
/** The codes listed by GET /languages; `zh` is accepted for `zh-Hans`, and any region of a listed language. */
export const supportedLanguages: readonly string[] = (
  'af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka ' +
  'kk km kn ko ky la lo lt lv mk ml mn mr ms my nb ne nl nn no pa pl ps pt ro ru si sk sl so sq sr sv sw ta te ' +
  'th tr uk ur uz vi zh-Hans zh-Hant'
).split(' ');

export interface Language {
  /** As sent, in canonical case: `zh` stays `zh`, `ZH_tw` becomes `zh-TW`. Shown to the partner. */
  tag: string;
  /** What is compared and looked up: `zh` and `zh-CN` are `zh-Hans`, `zh-TW` is `zh-Hant`, `pt-BR` is `pt`. */
  code: string;
}

const supported = new Set(supportedLanguages);

/** Reads a BCP-47 code, tolerating case and underscores. Undefined when it is malformed or not supported. */
export function parseLanguage(input: string): Language | undefined {
  // Most often one of our own codes, each of which reads back as itself: a hundred times as quick as asking the library.
  if (supported.has(input)) return { tag: input, code: input };
  const tag = canonicalTag(input);
  if (tag === undefined) return undefined;
  const code = lookupCode(tag);
  return supported.has(code) ? { tag, code } : undefined;
}

/** `zh` of `zh-Hant`: the language without script and region. Called in hot loops, so it only cuts. */
export function baseCode(tag: string): string {
  const dash = tag.indexOf('-');
  return dash < 0 ? tag : tag.slice(0, dash);
}

/** Script (ISO 15924) that text in this language is normally written in, such as `Hans`, `Latn`, `Cyrl`. */
export function scriptOf(tag: string): string {
  const known = scripts.get(tag);
  if (known !== undefined) return known;
  const script = new Intl.Locale(tag).maximize().script ?? 'Zyyy';
  if (scripts.size < maxKnownScripts) scripts.set(tag, script);
  return script;
}

/** Asked of every paragraph, and the answer takes longer than most of what is asked of it. */
const scripts = new Map<string, string>();
const maxKnownScripts = 1_000;

export function isRightToLeft(tag: string): boolean {
  return ['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo'].includes(scriptOf(tag));
}

/** What follows `-x-` is nobody's language: `en-x-slow` is English. */
export function languageName(tag: string, inLanguage = 'en'): string {
  const { baseName } = new Intl.Locale(tag);
  return new Intl.DisplayNames([inLanguage], { type: 'language' }).of(baseName) ?? tag;
}

function canonicalTag(input: string): string | undefined {
  // Longest registered tags stay far below this; the bound keeps hostile input away from the parser.
  if (input.length === 0 || input.length > 35) return undefined;
  try {
    return Intl.getCanonicalLocales(input.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

function lookupCode(tag: string): string {
  const locale = new Intl.Locale(tag);
  return locale.language === 'zh' ? `zh-${locale.maximize().script}` : locale.language;
}
