import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentDisposition, outputFileName, safeFileName } from '../../src/platform/storage/content-disposition.ts';

test('a plain name is sent plainly, any other also in its own script', () => {
  assert.equal(contentDisposition('novel.epub'), 'attachment; filename="novel.epub"');
  assert.equal(
    contentDisposition("Vår bok (1) 'ny'.epub"),
    "attachment; filename=\"Var bok (1) 'ny'.epub\"; filename*=UTF-8''V%C3%A5r%20bok%20%281%29%20%27ny%27.epub",
  );
  assert.equal(
    contentDisposition('紅樓夢.zh-Hant.txt'),
    'attachment; filename="___.zh-Hant.txt"; filename*=UTF-8\'\'%E7%B4%85%E6%A8%93%E5%A4%A2.zh-Hant.txt',
  );
  assert.equal(
    contentDisposition('50%41 "x".txt'),
    'attachment; filename="50_41 _x_.txt"; filename*=UTF-8\'\'50%2541%20%22x%22.txt',
  );
});

test('an output is named <stem>.<target_lang>.<ext>', () => {
  const table: [source: string, target: string, extension: string, expected: string][] = [
    ['novel.epub', 'fr', 'epub', 'novel.fr.epub'],
    ['My.Long.Novel.txt', 'zh-Hant', 'txt', 'My.Long.Novel.zh-Hant.txt'],
    ['no extension', 'de', 'txt', 'no extension.de.txt'],
    ['C:\\books\\Война и мир.fb2', 'en', 'fb2', 'Война и мир.en.fb2'],
    ['.hidden', 'en', 'txt', '.hidden.en.txt'],
    ['...', 'en', 'txt', 'file.en.txt'],
    ['', 'en', 'txt', 'file.en.txt'],
    ['Chapter 1. The beginning', 'en', 'md', 'Chapter 1. The beginning.en.md'],
    [`${'界'.repeat(300)}.docx`, 'pt-BR', 'docx', `${'界'.repeat(81)}.pt-BR.docx`],
  ];
  for (const [source, target, extension, expected] of table) {
    assert.equal(outputFileName(source, target, extension), expected);
  }
});

const hostilePieces = [
  '\r\n',
  '\r',
  '\n',
  '\0',
  '"',
  '\\',
  '/',
  '..',
  '.',
  ';',
  '%',
  '%0d%0a',
  "'",
  '*',
  '=',
  ' ',
  '\t',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\udc00',
  '🙂',
  '👩‍👩‍👧',
  'e\u0301',
  'ﷺ',
  'İ',
  '日本語',
  'Ω',
  "filename*=UTF-8''x",
  '"; filename="evil.exe',
  'CON',
  '\x7f',
  '\x85',
  'Set-Cookie: a=b',
  '<script>',
  '~',
  '$(id)',
  '`id`',
  '.epub',
  'x'.repeat(300),
  '語'.repeat(120),
];
const hostileName = fc.array(
  fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: 'binary', maxLength: 20 })),
  { maxLength: 12 },
);

test('1,000 hostile file names: every header parses under RFC 6266 and 8187 and gives the safe name back', () => {
  fc.assert(
    fc.property(hostileName, (pieces) => {
      const name = pieces.join('');
      for (const given of [name, outputFileName(name, 'zh-Hant', 'epub')]) {
        const header = contentDisposition(given);
        assert.match(header, /^[\x20-\x7e]+$/);
        assert.equal(fileNameOf(header), safeFileName(given));
      }
      const safe = safeFileName(name);
      assert.equal(safeFileName(safe), safe, 'making it safe twice changes nothing');
      assert.ok(safe.isWellFormed() && safe !== '' && !/[/\\\p{Cc}]|^\.*$/u.test(safe));
      assert.ok(Buffer.byteLength(safe) <= 255);
      const output = outputFileName(name, 'zh-Hant', 'epub');
      assert.ok(output.endsWith('.zh-Hant.epub') && Buffer.byteLength(output) <= 255);
    }),
    { numRuns: 1_000 },
  );
});

/** A strict reader of its own, straight from the two grammars. */
function fileNameOf(header: string): string {
  const quoted =
    /^attachment; filename="((?:[^"\\]|\\.)*)"(?:; filename\*=UTF-8''((?:%[0-9A-F]{2}|[!#$&+.^_`|~0-9A-Za-z-])+))?$/.exec(
      header,
    );
  assert.ok(quoted, header);
  return quoted[2] === undefined ? (quoted[1] ?? '') : decodeURIComponent(quoted[2]);
}
