/**
 * `node bench/encodings.ts [FOLDER]`: how many texts are read rightly from every usual encoding. FOLDER holds texts in UTF-8 named by
 * language (`nl.txt`, `zh-Hant.txt`); without it the samples of the tests are taken, which are a page each. From every text three files
 * are made in each encoding: a long one, one page, and a long one with at most thirty letters beyond ASCII.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredHints } from '../src/documents/encoding/declared-hints.ts';
import { decodeText } from '../src/documents/encoding/decode-text.ts';
import { encodable, encodeLegacy } from '../test/documents/encode-legacy.ts';
import { closeLanguageSamples, languageSamples } from '../test/language/language-samples.ts';
import { addRow } from './rows.ts';

const western = ['windows-1252', 'iso-8859-15', 'macintosh'];
const central = ['windows-1250', 'iso-8859-2'];

/** The encodings that texts of a language are found in. */
const usual: Readonly<Record<string, readonly string[]>> = {
  en: western,
  nl: western,
  de: western,
  fr: western,
  es: western,
  pt: western,
  it: western,
  sv: western,
  da: western,
  pl: central,
  cs: central,
  hu: central,
  ru: ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'],
  uk: ['windows-1251', 'koi8-u', 'iso-8859-5'],
  el: ['windows-1253', 'iso-8859-7'],
  tr: ['windows-1254', 'utf-8'],
  'zh-Hans': ['gb18030', 'utf-16le'],
  'zh-Hant': ['big5', 'gb18030'],
  ja: ['shift_jis', 'euc-jp', 'utf-16be'],
  ko: ['euc-kr', 'utf-8'],
};

/** English has few letters beyond ASCII, and those in names and loan words. */
const loans = [
  'At the café she met Zoë Brontë, whose naïve fiancé wore a façade of ennui.',
  '“The rôle of the Señora,” he said—and didn’t smile—“was coöperative.” Renée paid £3 for the crème brûlée.',
  'Château d’Ys, à la carte, vis-à-vis, déjà vu: clichés of the élite, said Søren Müller.',
];

const [folder] = process.argv.slice(2);

function textOf(language: string): string {
  const path = folder === undefined ? '' : join(folder, `${language}.txt`);
  const file = existsSync(path) ? path : folder === undefined ? '' : join(folder, `${language.split('-')[0]}.txt`);
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : `${languageSamples[language]}\n\n${closeLanguageSamples[language] ?? ''}\n`;
  if (language !== 'en') return text;
  return text
    .split('\n')
    .map((line, i) => (i % 40 === 3 ? `${line} ${loans[((i / 40) % loans.length) | 0]}` : line))
    .join('\n');
}

/** Cut at line ends, as a file is. */
function cuts(text: string): Record<string, string> {
  const lines = text.split('\n');
  const from = Math.floor(lines.length / 2);
  const take = (start: number, characters: number) => {
    let end = start;
    for (let size = 0; end < lines.length && size < characters; end++) size += (lines[end] ?? '').length + 1;
    return `${lines.slice(start, end).join('\n')}\n`;
  };
  const long = take(0, 60_000);
  return { long, page: take(folder === undefined ? 0 : from, 1_500), rare: thinned(long, 30) };
}

/** Most lines with a letter beyond ASCII are left out, so that about `count` such letters remain. */
function thinned(text: string, count: number): string {
  let left = count;
  const kept = text.split('\n').filter((line) => {
    const letters = line.match(/[^\0-\u007f]/g)?.length ?? 0;
    if (letters === 0) return true;
    left -= letters;
    return left + letters > 0;
  });
  return `${kept.join('\n')}\n`;
}

function encode(text: string, label: string): Uint8Array {
  if (label === 'utf-8') return Buffer.from(text);
  if (label.startsWith('utf-16')) {
    const little = Buffer.from(text, 'utf16le');
    return label === 'utf-16le' ? little : little.swap16();
  }
  return encodeLegacy(text, label);
}

const counts = { files: 0, right: 0, warned: 0, refused: 0, silent: 0 };
for (const [language, labels] of Object.entries(usual)) {
  const cells: string[] = [];
  for (const [cut, text] of Object.entries(cuts(textOf(language)))) {
    for (const label of labels) {
      const source = label.startsWith('utf') ? text : encodable(text, label);
      const bytes = encode(source, label);
      counts.files++;
      try {
        const read = decodeText(bytes, declaredHints(bytes));
        const isWarned = read.warnings.some(({ code }) => code === 'ENCODING_UNCERTAIN');
        if (read.text === source) counts.right++;
        else if (isWarned) counts.warned++;
        else counts.silent++;
        if (read.text !== source || isWarned)
          cells.push(
            `${cut} ${label}: ${read.text === source ? 'right' : 'WRONG'} as ${read.encoding}${isWarned ? ', warned' : ''}`,
          );
      } catch {
        counts.refused++;
        cells.push(`${cut} ${label}: refused`);
      }
    }
  }
  console.log(`${language}\t${labels.join(' ')}\t${cells.join('; ') || 'all right'}`);
}
const { files, right, warned, refused, silent } = counts;
console.log(
  `\n${files} files: ${right} right, ${warned} wrong with a warning, ${refused} refused, ${silent} silently wrong`,
);
addRow({
  name: 'texts read in the right encoding',
  value: (100 * right) / files,
  unit: '%',
  goal: { atLeast: 99 },
  limit: '100: every letter of every file',
});
addRow({
  name: 'texts read wrongly without a warning',
  value: silent,
  unit: 'files',
  goal: { atMost: 0 },
  limit: '0',
});
