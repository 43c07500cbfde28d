/** LibreOffice opens what we write, and shows every translation once. Needs LibreOffice Writer. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { blocksOf } from '../../src/documents/document.ts';
import { tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument, writeDocument } from '../documents/read-and-write.ts';
import { sampleDocx, sampleOdt } from '../documents/sample-office.ts';
import { requirePrograms } from '../support/proof.ts';

requirePrograms({ soffice: 'Debian package libreoffice-writer-nogui' });

const folder = mkdtempSync(join(tmpdir(), 'office-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function convert(bytes: Uint8Array, extension: string, target: string): Buffer {
  const source = join(folder, `book.${extension}`);
  writeFileSync(source, bytes);
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  execFileSync('soffice', [profile, '--headless', '--convert-to', target, '--outdir', folder, source], {
    stdio: 'ignore',
    timeout: 120_000,
  });
  return readFileSync(join(folder, `book.${target.split(':')[0]}`));
}

for (const [name, bytes, sourceLang, targetLang] of [
  ['docx', sampleDocx(), 'en', 'ar'],
  ['docx', sampleDocx(), 'en', 'de'],
  ['odt', sampleOdt(), 'ar', 'en'],
] as const) {
  for (const variant of ['translated', 'bilingual'] as const) {
    for (const charLimit of [undefined, 150]) {
      test(`${name} to ${targetLang}, ${variant}${charLimit === undefined ? '' : ', limited'}: opens and shows every translation once`, () => {
        const source = charLimit === undefined ? {} : { charLimit };
        const { document } = readDocument(bytes, source);
        const blocks = blocksOf(document);
        const translations = new Map(
          blocks.map((block) => [
            block.id,
            `Wort${block.id}ende ${tokenizeInline(block.text)
              .flatMap((token) => (token.kind === 'text' ? [] : [token.raw]))
              .join('')}`,
          ]),
        );
        const written = writeDocument(bytes, source, translations, { sourceLang, targetLang, variant });
        const text = convert(written.bytes, name, 'txt:Text (encoded):UTF8').toString('utf8');
        const shown = blocks.filter(
          (block) => block.kind !== 'label' && block.kind !== 'note' && block.kind !== 'caption',
        );
        for (const block of shown) assert.equal(text.split(`Wort${block.id}ende`).length, 2, `${block.id}\n${text}`);
        assert.ok(convert(written.bytes, name, 'pdf').subarray(0, 5).toString() === '%PDF-');
      });
    }
  }
}
