/**
 * Every EPUB we write from a valid EPUB is valid: monolingual, bilingual and limited, to a left-to-right and a
 * right-to-left language. Needs epubcheck; more books can be given as paths.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { blocksOf, type WriteOptions } from '../../src/documents/document.ts';
import { tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument, writeDocument } from '../documents/read-and-write.ts';
import { sampleEpub2, sampleEpub3, sampleVerticalEpub } from '../documents/sample-books.ts';
import { proofRun, requirePrograms } from '../support/proof.ts';

const checker = '/usr/bin/epubcheck';
requirePrograms({ [checker]: 'Debian package epubcheck', java: 'comes with Debian package epubcheck' });
const { names } = proofRun({ short: 1, long: 1 });

const folder = mkdtempSync(join(tmpdir(), 'epubcheck-'));

after(() => rmSync(folder, { recursive: true }));

const books: [name: string, bytes: Uint8Array, targets: string[]][] = [
  ['EPUB 3', sampleEpub3(), ['de', 'ar']],
  ['EPUB 2', sampleEpub2(), ['en', 'he']],
  ['vertical Japanese EPUB', sampleVerticalEpub(), ['en', 'zh-Hans']],
];
for (const path of names) books.push([basename(path), readFileSync(path), ['fr']]);

for (const [name, bytes, targets] of books) {
  test(`${name}: the source is valid`, () => assert.deepEqual(faultsOf(bytes), []));
  for (const targetLang of targets) {
    for (const variant of ['translated', 'bilingual'] as const) {
      test(`${name}: ${variant} into ${targetLang} is valid`, () => {
        assert.deepEqual(faultsOf(write(bytes, undefined, targetLang, variant)), []);
      });
    }
  }
  test(`${name}: limited output is valid wherever it ends`, () => {
    const { totalCharacters } = readDocument(bytes).document;
    for (const share of [0.02, 0.3, 0.55, 0.8]) {
      const charLimit = Math.max(1, Math.floor(totalCharacters * share));
      const variant = share < 0.5 ? 'translated' : 'bilingual';
      assert.deepEqual(faultsOf(write(bytes, charLimit, targets[0] ?? 'fr', variant)), [], `${charLimit} characters`);
    }
  });
}

function write(
  bytes: Uint8Array,
  charLimit: number | undefined,
  targetLang: string,
  variant: WriteOptions['variant'],
): Uint8Array {
  const source = charLimit === undefined ? {} : { charLimit };
  const { document } = readDocument(bytes, source);
  const translations = new Map(
    blocksOf(document).map((block) => [
      block.id,
      tokenizeInline(block.text)
        .map((token) => (token.kind === 'text' ? `[${token.text}]` : token.raw))
        .join(''),
    ]),
  );
  const sourceLang = document.declaredLanguage?.split('-')[0] ?? 'en';
  return writeDocument(bytes, source, translations, { sourceLang, targetLang, variant }).bytes;
}

function faultsOf(bytes: Uint8Array): string[] {
  const path = join(folder, 'book.epub');
  writeFileSync(path, bytes);
  const { stdout, stderr } = spawnSync('java', ['-XX:TieredStopAtLevel=1', '-jar', checker, path], {
    encoding: 'utf8',
  });
  assert.match(stdout + stderr, /Messages:/);
  // One sample has a blank in a file name on purpose, which is allowed and warned of.
  const isFault = (line: string) => /^(ERROR|FATAL|WARNING)/.test(line) && !line.includes('PKG-010');
  return (stdout + stderr).split('\n').filter(isFault);
}
