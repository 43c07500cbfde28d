import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blocksOf } from '../../src/documents/document.ts';
import { declaredHints } from '../../src/documents/encoding/declared-hints.ts';
import { decodeText } from '../../src/documents/encoding/decode-text.ts';
import { decodeHtml } from '../../src/documents/encoding/html-encoding.ts';
import { readTxt } from '../../src/documents/txt/read-txt.ts';
import { writeTxt } from '../../src/documents/txt/write-txt.ts';
import { AppError } from '../../src/errors.ts';
import { closeLanguageSamples, languageSamples } from '../language/language-samples.ts';
import { encodable, encodeLegacy } from './encode-legacy.ts';

const sample = (code: string) => `${languageSamples[code]}\r\n\r\n${closeLanguageSamples[code] ?? ''}\r\n`;

const encodings: Record<string, string[]> = {
  gb18030: ['zh-Hans', 'zh-Hant'],
  big5: ['zh-Hant'],
  shift_jis: ['ja'],
  'euc-jp': ['ja'],
  'euc-kr': ['ko'],
  'windows-1250': ['pl', 'cs', 'sk', 'hu', 'hr', 'sl', 'ro'],
  'windows-1251': ['ru', 'uk', 'be', 'bg', 'sr', 'mk'],
  'windows-1252': ['fr', 'de', 'es', 'pt', 'it', 'sv', 'da', 'nb', 'fi', 'is', 'ca', 'gl', 'nl'],
  'windows-1253': ['el'],
  'windows-1254': ['tr'],
  'windows-1255': ['he'],
  'windows-1256': ['ar'],
  'windows-1257': ['lt', 'lv', 'et'],
  'windows-874': ['th'],
  'koi8-r': ['ru'],
  'koi8-u': ['uk'],
  ibm866: ['ru'],
  'iso-8859-2': ['pl', 'cs', 'hu'],
  'iso-8859-5': ['ru', 'bg'],
  'iso-8859-7': ['el'],
  'iso-8859-8': ['he'],
  'iso-8859-6': ['ar'],
  'iso-8859-15': ['fr', 'nl'],
  macintosh: ['fr', 'de', 'es', 'pt', 'it', 'sv', 'da'],
  'x-mac-cyrillic': ['ru'],
};

for (const [label, codes] of Object.entries(encodings)) {
  test(`a page in ${label} is read without a wrong character (${codes.join(', ')})`, () => {
    for (const code of codes) {
      const text = encodable(sample(code), label);
      const bytes = encodeLegacy(text, label);
      assert.equal(decodeText(bytes).text, text, code);
      // Three hundred bytes are enough, wherever they are taken from.
      const short = encodable([...(languageSamples[code] as string)].slice(0, 200).join(''), label);
      assert.equal(decodeText(encodeLegacy(short, label)).text, short, `${code}, short`);
    }
  });
}

const plainLines = (sentence: string, count: number) => Array.from({ length: count }, (_, i) => `${i}. ${sentence}`);

test('a few accented letters in a long text are read in the language of its other words, wherever they stand', () => {
  const texts = {
    nl: [
      'De schipper wilde niet zeggen waar hij de brief had gelaten, en niemand vroeg ernaar.',
      'Gabriël en Zoë hadden geen idee; één van de twee moest naar België.',
    ],
    en: [
      'The captain would not say where he had left the letter, and nobody asked him about it.',
      'Zoë had left the café with her fiancé, a naïve man of the élite.',
    ],
    sv: ['Kaptenen ville inte tala om var han hade lagt brevet.', 'Hon såg på havet och frågade ingenting.'],
  };
  for (const [language, [plain = '', accented = '']] of Object.entries(texts)) {
    for (const place of [0, 1_200, 2_999]) {
      const lines = plainLines(plain, 3_000);
      lines[place] = accented;
      const text = `${lines.join('\r\n')}\r\n`;
      const { encoding, warnings, ...read } = decodeText(encodeLegacy(text, 'windows-1252'));
      assert.deepEqual({ encoding, warnings }, { encoding: 'windows-1252', warnings: [] }, `${language} ${place}`);
      assert.equal(read.text, text);
    }
  }
});

test('the encoding that a text names itself decides between readings that are as likely', () => {
  const text = 'Paid: 5 ¤.\r\n';
  const named = `Character set encoding: ISO-8859-15\r\n\r\n${text.replace('¤', '€')}`;
  const bytes = encodeLegacy(named, 'iso-8859-15');
  assert.equal(decodeText(bytes, declaredHints(bytes)).text, named);
  for (const [line, label] of [
    ['Character set encoding: ISO Latin-1', 'windows-1252'],
    ['Character set encoding: ASCII', undefined],
    ['Content-Type: text/plain; charset="koi8-r"', 'koi8-r'],
    ['; -*- mode: text; coding: euc-jp -*-', 'euc-jp'],
    ['Nothing of the kind', undefined],
  ] as const)
    assert.equal(declaredHints(Buffer.from(`A header\n${line}\n`)).declared, label, line);
});

test('a text that is not what it says is read as what it is, with a warning that names both', () => {
  const russian = `Character set encoding: ISO-8859-1\r\n\r\n${encodable(sample('ru'), 'windows-1251')}`;
  const bytes = encodeLegacy(russian, 'windows-1251');
  const decoded = decodeText(bytes, declaredHints(bytes));
  assert.equal(decoded.text, russian);
  assert.deepEqual(
    decoded.warnings.map(({ code }) => code),
    ['ENCODING_UNCERTAIN'],
  );
  assert.match(decoded.warnings[0]?.message ?? '', /windows-1251.*windows-1252/);
  const page = `<html><head><meta charset="iso-8859-1"></head><body>${encodable(sample('ru'), 'koi8-r').replaceAll(/[<&]/g, '')}</body></html>`;
  const html = decodeHtml(encodeLegacy(page, 'koi8-r'));
  assert.equal(html.text, page);
  assert.match(html.warnings[0]?.message ?? '', /koi8-r.*windows-1252/);
  const utf8 = '<html><head><meta charset="iso-8859-1"></head><body>Gabriël</body></html>';
  assert.deepEqual(decodeHtml(Buffer.from(utf8)), { text: utf8, encoding: 'utf-8', warnings: [] });
});

test('of two readings that are close the commoner is taken, with a warning that names both', () => {
  // Quotation marks of an old Macintosh are Ò and Ó elsewhere.
  const { encoding, warnings } = decodeText(Buffer.from('He said: \xd2no\xd3.\n', 'latin1'));
  assert.equal(encoding, 'windows-1252');
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['ENCODING_UNCERTAIN'],
  );
  assert.match(warnings[0]?.message ?? '', /windows-1252.*macintosh/);
});

test('a short text with one accented letter at its end loses nothing', () => {
  for (const text of ['Il est allé', 'Il est allé.\n', 'Fue él, dijo José'])
    assert.deepEqual(decodeText(encodeLegacy(text, 'windows-1252')), { text, encoding: 'windows-1252', warnings: [] });
});

test('UTF-8 and UTF-16 are read with and without a byte order mark', () => {
  for (const code of ['en', 'zh-Hans', 'ja', 'ru', 'ar', 'ko', 'th', 'hi']) {
    const text = sample(code);
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const [bytes, encoding] of [
      [Buffer.from(text), 'utf-8'],
      [Buffer.from(`\ufeff${text}`), 'utf-8'],
      [little, 'utf-16le'],
      [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), 'utf-16le'],
      [big, 'utf-16be'],
      [Buffer.concat([Buffer.from([0xfe, 0xff]), big]), 'utf-16be'],
    ] as const) {
      assert.deepEqual(decodeText(bytes), { text, encoding, warnings: [] }, `${code} ${encoding}`);
    }
  }
});

test('the whole of Windows-949 is known, not only KS X 1001', () => {
  const korean = encodeLegacy(encodable(sample('ko'), 'euc-kr'), 'euc-kr');
  const extended = Buffer.concat([korean, Buffer.from('8c6394eec652', 'hex')]);
  assert.ok(decodeText(extended).text.endsWith('똠뷁힣'));
});

test('characters outside the basic plane are read from GB18030', () => {
  const bytes = Buffer.concat([
    encodeLegacy('他说：', 'gb18030'),
    Buffer.from('95328236', 'hex'),
    encodeLegacy('，这是一个字。', 'gb18030'),
  ]);
  assert.equal(decodeText(bytes).text, '他说：𠀀，这是一个字。');
});

test('a last character cut in half is left out with a warning', () => {
  const whole = Buffer.from(sample('zh-Hans'));
  const decoded = decodeText(whole.subarray(0, whole.length - 3));
  assert.equal(decoded.encoding, 'utf-8');
  assert.deepEqual(
    decoded.warnings.map(({ code }) => code),
    ['TRUNCATED_CHARACTER'],
  );
  assert.ok(!decoded.text.includes('\ufffd'));
});

test('a page that names no encoding, or a wrong one, is read by its bytes', () => {
  for (const [code, label] of [
    ['zh-Hans', 'gb18030'],
    ['ja', 'shift_jis'],
    ['ko', 'euc-kr'],
    ['ru', 'windows-1251'],
    ['fr', 'windows-1252'],
  ] as const) {
    const text = encodable(sample(code), label).replaceAll(/[<&]/g, '');
    for (const meta of ['', '<meta charset="utf-8">']) {
      const bytes = encodeLegacy(`<!DOCTYPE html><html><head>${meta}</head><body><p>${text}</p></body></html>`, label);
      const decoded = decodeHtml(bytes);
      assert.equal(decoded.encoding, label);
      assert.ok(decoded.text.includes(text), code);
    }
  }
});

test('what cannot be read is refused with a reason and never guessed', () => {
  const reasonOf = (bytes: Uint8Array) => {
    try {
      decodeText(bytes);
    } catch (error) {
      return error instanceof AppError ? error.details?.reason : error;
    }
    return undefined;
  };
  const damaged = Buffer.from(sample('ru'));
  damaged[200] = 0xff;
  damaged[201] = 0xff;
  assert.equal(reasonOf(damaged), 'UNREADABLE_ENCODING');
  // Bytes without any pattern, the same in every run.
  const noise = Buffer.concat(Array.from({ length: 150 }, (_, i) => createHash('sha256').update(`${i}`).digest()));
  assert.equal(reasonOf(noise.map((byte) => byte || 1)), 'UNREADABLE_ENCODING');
  assert.equal(reasonOf(Buffer.concat([Buffer.from(sample('en')), Buffer.from([0, 0, 1, 2, 3])])), 'NOT_TEXT');
});

test('sample novels come back in UTF-8 from every encoding, unchanged or translated', () => {
  const novels = {
    'zh.txt': ['gb18030'],
    'ja.txt': ['shift_jis', 'euc-jp'],
    'ko.txt': ['euc-kr'],
    'fr.txt': ['windows-1252'],
    'ru.txt': ['windows-1251', 'koi8-r'],
  };
  for (const [name, labels] of Object.entries(novels)) {
    for (const label of labels) {
      const text = encodable(
        readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8').replaceAll('똠', ''),
        label,
      ).replaceAll('\n', '\r\n');
      const bytes = encodeLegacy(text, label);
      const { document } = readTxt(bytes);
      assert.equal(document.encoding, label);
      const options = { sourceLang: 'zh-Hans', targetLang: 'en', variant: 'translated' } as const;
      const same = new Map(blocksOf(document).map((block) => [block.id, block.text]));
      assert.equal(Buffer.from(writeTxt(bytes, {}, same, options).bytes).toString(), text, name);
      const changed = new Map(blocksOf(document).map((block) => [block.id, 'word']));
      const output = Buffer.from(writeTxt(bytes, {}, changed, options).bytes).toString();
      assert.ok(!/(?<!\r)\n/.test(output), 'newlines stay CRLF');
    }
  }
});
