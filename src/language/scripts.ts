/** Script of single characters, as numbers because matching looks at every character of a book. */
export const script = {
  none: 0,
  digit: 1,
  mark: 2,
  latin: 3,
  cyrillic: 4,
  greek: 5,
  han: 6,
  hiragana: 7,
  katakana: 8,
  hangul: 9,
  arabic: 10,
  hebrew: 11,
  /** Thai, Lao, Khmer, Burmese, Tibetan: written without spaces between words. */
  unspaced: 12,
  /** Any other script with spaces: Devanagari, Georgian, Armenian, … */
  other: 13,
} as const;
export type Script = (typeof script)[keyof typeof script];

/** Script of the character that starts at `index`; `none` outside the text and for everything that is no letter. */
export function scriptAt(text: string, index: number): Script {
  if (index < 0 || index >= text.length) return script.none;
  const unit = text.charCodeAt(index);
  if ((unit & 0xf800) !== 0xd800) return scriptOfUnit(unit);
  const codePoint = unit < 0xdc00 ? text.codePointAt(index) : index > 0 ? text.codePointAt(index - 1) : unit;
  if (codePoint === undefined || codePoint < 0x10000) return script.none;
  if (codePoint >= 0x20000 && codePoint <= 0x3ffff) return script.han;
  return /\p{L}/u.test(String.fromCodePoint(codePoint)) ? script.other : script.none;
}

export function isLetter(value: Script): boolean {
  return value >= script.latin;
}

/** Letters of scripts that put no space between words. */
export function isUnspaced(value: Script): boolean {
  return value === script.han || value === script.hiragana || value === script.katakana || value === script.unspaced;
}

export interface ScriptCounts {
  letters: number;
  /** Letters by script number. */
  byScript: number[];
}

export function countScripts(text: string): ScriptCounts {
  const byScript = new Array<number>(14).fill(0);
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const found = scriptAt(text, i);
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) i++;
    if (!isLetter(found)) continue;
    letters++;
    byScript[found] = (byScript[found] ?? 0) + 1;
  }
  return { letters, byScript };
}

/** Scripts that a text in this language (ISO 15924 script of the language) is made of. */
export function scriptsOfLanguage(iso15924: string): readonly Script[] {
  return languageScripts[iso15924] ?? [script.other];
}

const languageScripts: Record<string, readonly Script[]> = {
  Latn: [script.latin],
  Cyrl: [script.cyrillic],
  Grek: [script.greek],
  Hans: [script.han],
  Hant: [script.han],
  Jpan: [script.han, script.hiragana, script.katakana],
  Kore: [script.hangul, script.han],
  Arab: [script.arabic],
  Hebr: [script.hebrew],
  Thai: [script.unspaced],
  Laoo: [script.unspaced],
  Khmr: [script.unspaced],
  Mymr: [script.unspaced],
};

/** Hoisted for the hot loops: `scriptAt` without the surrogate cases. */
export function scriptOfUnit(unit: number): Script {
  table ??= buildTable();
  return (table[unit] ?? 0) as Script;
}

let table: Uint8Array | undefined;

// Built from the runtime's Unicode data on first use (about 15 ms), so no ranges are kept by hand.
function buildTable(): Uint8Array {
  const built = new Uint8Array(65_536);
  let all = '';
  for (let unit = 0; unit < 65_536; unit++) all += (unit & 0xf800) === 0xd800 ? ' ' : String.fromCharCode(unit);
  const rules: [RegExp, Script][] = [
    [/\p{L}/gu, script.other],
    [/\p{Nd}/gu, script.digit],
    [/\p{M}/gu, script.mark],
    [/(?=\p{L})\p{Script=Latin}/gu, script.latin],
    [/(?=\p{L})\p{Script=Cyrillic}/gu, script.cyrillic],
    [/(?=\p{L})\p{Script=Greek}/gu, script.greek],
    [/(?=\p{L}|\p{N})\p{Script=Han}|々/gu, script.han],
    [/(?=\p{L})\p{Script=Hiragana}/gu, script.hiragana],
    [/(?=\p{L})\p{Script=Katakana}|[ーｰ]/gu, script.katakana],
    [/(?=\p{L})\p{Script=Hangul}/gu, script.hangul],
    [/(?=\p{L})\p{Script=Arabic}/gu, script.arabic],
    [/(?=\p{L})\p{Script=Hebrew}/gu, script.hebrew],
    [/(?=\p{L})[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/gu, script.unspaced],
  ];
  for (const [pattern, value] of rules) {
    for (const match of all.matchAll(pattern)) built[match.index] = value;
  }
  return built;
}
