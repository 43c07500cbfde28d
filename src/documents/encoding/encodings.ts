/** The legacy encodings a manuscript may arrive in, and the languages that are written in them. */
import letters from './language-letters.json' with { type: 'json' };

export interface LegacyEncoding {
  /** WHATWG label. */
  label: string;
  script: 'han' | 'japanese' | 'hangul' | 'latin' | 'other';
  /** Bits against the encoding before any byte is seen: commoner encodings win a tie. */
  priorBits: number;
  /** Of alphabets: ISO 639-1 codes, each with letters in `languageLetters`. */
  languages: readonly string[];
  /** Two letters beyond ASCII in a row are as rare as in créée. */
  hasLoneAccents?: true;
}

const western = 'en fr de es pt it nl sv da nb fi is ca gl ga eu af'.split(' ');
const central = 'pl cs sk hu ro hr sl sq'.split(' ');
const cyrillic = 'ru uk bg sr be mk'.split(' ');
const baltic = 'lt lv et'.split(' ');

export const legacyEncodings: readonly LegacyEncoding[] = [
  { label: 'gb18030', script: 'han', priorBits: 0, languages: [] },
  { label: 'big5', script: 'han', priorBits: 0, languages: [] },
  { label: 'shift_jis', script: 'japanese', priorBits: 0, languages: [] },
  { label: 'euc-jp', script: 'japanese', priorBits: 1, languages: [] },
  { label: 'euc-kr', script: 'hangul', priorBits: 0, languages: [] },
  { label: 'windows-1252', script: 'latin', priorBits: 0, languages: western, hasLoneAccents: true },
  { label: 'windows-1251', script: 'other', priorBits: 1, languages: cyrillic },
  { label: 'windows-1250', script: 'latin', priorBits: 2, languages: central },
  { label: 'windows-1254', script: 'latin', priorBits: 3, languages: ['tr'] },
  { label: 'windows-1257', script: 'latin', priorBits: 3, languages: baltic },
  { label: 'windows-1253', script: 'other', priorBits: 2, languages: ['el'] },
  { label: 'windows-1255', script: 'other', priorBits: 2, languages: ['he'] },
  { label: 'windows-1256', script: 'other', priorBits: 2, languages: ['ar', 'fa'] },
  { label: 'windows-1258', script: 'latin', priorBits: 4, languages: ['vi'] },
  { label: 'windows-874', script: 'other', priorBits: 2, languages: ['th'] },
  { label: 'koi8-r', script: 'other', priorBits: 2, languages: ['ru'] },
  { label: 'koi8-u', script: 'other', priorBits: 3, languages: ['uk'] },
  { label: 'ibm866', script: 'other', priorBits: 4, languages: ['ru'] },
  { label: 'iso-8859-2', script: 'latin', priorBits: 4, languages: central },
  { label: 'iso-8859-3', script: 'latin', priorBits: 6, languages: ['eo', 'mt'] },
  { label: 'iso-8859-4', script: 'latin', priorBits: 6, languages: baltic },
  { label: 'iso-8859-5', script: 'other', priorBits: 4, languages: cyrillic },
  { label: 'iso-8859-6', script: 'other', priorBits: 4, languages: ['ar'] },
  { label: 'iso-8859-7', script: 'other', priorBits: 4, languages: ['el'] },
  { label: 'iso-8859-8', script: 'other', priorBits: 4, languages: ['he'] },
  { label: 'iso-8859-13', script: 'latin', priorBits: 5, languages: baltic },
  { label: 'iso-8859-15', script: 'latin', priorBits: 4, languages: western, hasLoneAccents: true },
  { label: 'iso-8859-16', script: 'latin', priorBits: 6, languages: ['ro', 'pl', 'hu'] },
  { label: 'macintosh', script: 'latin', priorBits: 5, languages: western, hasLoneAccents: true },
  { label: 'x-mac-cyrillic', script: 'other', priorBits: 5, languages: ['ru', 'uk'] },
];

/**
 * Letters beyond ASCII by language, most frequent first, lower case. A decoding is believed when its letters follow them. Romanian
 * ones stand with a cedilla too, where an encoding has no comma below.
 */
export const languageLetters: Readonly<Record<string, string>> = letters;
