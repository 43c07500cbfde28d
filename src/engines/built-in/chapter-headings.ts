import headingWords from './heading-words.json' with { type: 'json' };

/**
 * "Chapitre cinq. La roue", "IX Le soir": the model makes nonsense of the number, or writes nothing else. So word and number are read and
 * set here, and only the title is translated.
 */
const divisions = ['chapter', 'part', 'book', 'volume'] as const;
type Division = (typeof divisions)[number];

/**
 * The words of a language for each division, in this order: as the language writes it, then what is only read besides. Its numbers: ordinals
 * without the last letters, in which they agree with what they number.
 */
const words: Readonly<Record<string, typeof headingWords.en>> = headingWords;
const ordinalEnding = /^(?:er|ère|e|o|a|r|s|ый|ая|ой|ий|ья)?$/u;

/** What the target has in its place, and where the title begins. */
export interface Heading {
  lead: string;
  rest: string;
}

/**
 * Undefined for any other text.
 * @param isHeading the book says so; else it may be a sentence that begins with a number
 */
export function readHeading(
  text: string,
  sourceLang: string,
  targetLang: string,
  isHeading: boolean,
): Heading | undefined {
  if (text.length > 200) return undefined;
  return divisionHeading(text, sourceLang, targetLang) ?? numeralHeading(text, sourceLang, isHeading);
}

const gap = String.raw`(?:\s*[.:–—-]\s*|\s*\n\s*|\s*$)`;
const wordThenNumber = new RegExp(
  String.raw`^(\p{L}+\.?)(?:\s+[Tt][Hh][Ee])?\s+([\p{L}\d]+(?:-\p{L}+)?)(${gap}|\s+(?=[\p{Lu}\p{N}«“"¿¡]))`,
  'u',
);
const numberThenWord = new RegExp(String.raw`^(?:[Tt][Hh][Ee]\s+)?(\p{L}+)\s+(\p{L}+)(${gap})`, 'u');

function divisionHeading(text: string, sourceLang: string, targetLang: string): Heading | undefined {
  const [whole = '', word = '', number = '', between = ''] = wordThenNumber.exec(text) ?? [];
  const division = divisionOf(word, sourceLang);
  const read = division === undefined ? undefined : numberOf(number, sourceLang);
  if (division !== undefined && read !== undefined)
    return heading(division, read, between, text.slice(whole.length), targetLang);
  const [all = '', ordinal = '', name = '', after = ''] = numberThenWord.exec(text) ?? [];
  const own = divisionOf(name, sourceLang);
  const value = own === undefined ? undefined : ordinalOf(ordinal, sourceLang);
  if (own === undefined || value === undefined) return undefined;
  return heading(own, { value, written: 'word' }, after, text.slice(all.length), targetLang);
}

function heading(
  division: Division,
  number: ReadNumber,
  between: string,
  rest: string,
  targetLang: string,
): Heading | undefined {
  const [word = ''] = wordsFor(division, targetLang);
  if (word === '') return undefined;
  return { lead: numbered(word, number, division, targetLang) + (rest === '' ? between.trim() : between), rest };
}

function divisionOf(word: string, language: string): Division | undefined {
  const folded = word.toLowerCase();
  return divisions.find((division) => wordsFor(division, language).some((each) => each.toLowerCase() === folded));
}

function wordsFor(division: Division, language: string): string[] {
  return words[language]?.divisions.split(' ')[divisions.indexOf(division)]?.split('/') ?? [];
}

function numbersOf(kind: 'cardinals' | 'ordinals', language: string): string[] {
  return words[language]?.[kind].split(' ') ?? [];
}

interface ReadNumber {
  value: number;
  written: 'digits' | 'roman' | 'word';
  text?: string;
}

function numberOf(text: string, language: string): ReadNumber | undefined {
  const word = text.toLowerCase();
  if (/^\d{1,4}$/.test(word)) return { value: Number(word), written: 'digits', text };
  if (roman.test(word)) return { value: 0, written: 'roman', text: text.toUpperCase() };
  const cardinal = numbersOf('cardinals', language).indexOf(word) + 1 || compoundOf(word, language);
  const value = cardinal || ordinalOf(word, language);
  return value === undefined ? undefined : { value, written: 'word' };
}

function ordinalOf(text: string, language: string): number | undefined {
  const word = text.toLowerCase();
  const at = numbersOf('ordinals', language).findIndex(
    (stem) => word.startsWith(stem) && ordinalEnding.test(word.slice(stem.length)),
  );
  return at < 0 ? undefined : at + 1;
}

const teens = 'thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** "Twenty-one": English novels spell their chapters out. 0 for any other word. */
function compoundOf(word: string, language: string): number {
  if (language !== 'en') return 0;
  if (teens.includes(word)) return teens.indexOf(word) + 13;
  const [first = '', unit] = word.split('-');
  const ten = tens.indexOf(first) + 1;
  if (ten === 0 || unit === undefined) return ten === 0 ? 0 : (ten + 1) * 10;
  const one = numbersOf('cardinals', 'en').slice(0, 9).indexOf(unit) + 1;
  return one === 0 ? 0 : (ten + 1) * 10 + one;
}

function numbered(
  word: string,
  { value, written, text = '' }: ReadNumber,
  division: Division,
  language: string,
): string {
  if (written !== 'word') return `${word} ${text}`;
  const name = numbersOf('cardinals', language)[value - 1];
  const ordinal = numbersOf('ordinals', language)[value - 1];
  if (name === undefined || ordinal === undefined) return `${word} ${value}`;
  if (language === 'fr' && division === 'part') return `${capital(ordinal)}${value === 1 ? 'ère' : 'e'} partie`;
  if (language === 'es' && division === 'part') return `${capital(ordinal)}a parte`;
  if (language === 'fr' && value === 1) return `${word} premier`;
  return `${word} ${language === 'en' || language === 'de' ? capital(name) : name}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Up to 399: D and M make words of too many letters. */
const roman = /^(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/iu;
const loneNumeral = /^[IVXLC\d]+[.):]?$/u;
const numeralThenTitle = /^([IVXLC]+|\d{1,3})(\s*[.:)–—-]\s*|\s*\n\s*|\s+)(?=[\p{Lu}\p{N}«“"'‘¿¡])/u;
/** A sentence in an ordinary paragraph is longer, and ends. */
const longestTitle = 100;

/** "IX" stays, and so does the number of "IX. Le soir". "I" is a word in English and Italian. */
function numeralHeading(text: string, sourceLang: string, isHeading: boolean): Heading | undefined {
  if (loneNumeral.test(text)) return isNumeral(text.replace(/[.):]$/u, '')) ? { lead: text, rest: '' } : undefined;
  const [whole = '', number = '', between = ''] = numeralThenTitle.exec(text) ?? [];
  if (!isNumeral(number)) return undefined;
  const rest = text.slice(whole.length);
  const marked = between.trim() !== '' || between.includes('\n');
  if (!marked && number.length === 1 && (sourceLang === 'en' || sourceLang === 'it') && number === 'I')
    return undefined;
  const isTitle = rest.length <= longestTitle && !/[.,;:]$/u.test(rest) && number.length > 1;
  return isHeading || (isTitle && !/^\d/u.test(number)) ? { lead: text.slice(0, whole.length), rest } : undefined;
}

function isNumeral(text: string): boolean {
  return /^\d+$/.test(text) || roman.test(text);
}
