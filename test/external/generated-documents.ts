/**
 * Books that pandoc, LibreOffice and calibre make out of our own texts are read, written unchanged, translated and read
 * again; what we write opens in LibreOffice and passes epubcheck. Needs Debian's pandoc, libreoffice-writer, calibre and
 * epubcheck; the size is how many of the texts are taken.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertFaithful } from '../documents/faithful.ts';
import { proofRun } from '../support/proof.ts';

const { size } = proofRun({ short: 1, long: 5, seed: 1 });
const folder = mkdtempSync(join(tmpdir(), 'generated-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fixtures = fileURLToPath(new URL('../documents/fixtures/', import.meta.url));
const samples = fileURLToPath(new URL('../../scripts/samples/', import.meta.url));
const texts = [
  join(fixtures, 'generated/rich.md'),
  join(samples, 'el-faro-de-sal.md'),
  join(fixtures, 'en.md'),
  join(fixtures, 'fr.txt'),
  join(fixtures, 'ru.txt'),
].slice(0, size);
const pandocFormats = ['docx', 'odt', 'epub2.epub', 'epub3.epub', 'fb2', 'html', 'markdown.md', 'gfm.md'];

function program(name: string, ...args: string[]): void {
  execFileSync(name, args, { cwd: join(fixtures, 'generated'), stdio: 'ignore', timeout: 180_000 });
}

function office(target: string, path: string): string {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const out = mkdtempSync(join(folder, 'office-'));
  program('soffice', profile, '--headless', '--convert-to', target, '--outdir', out, path);
  return join(out, readdirSync(out)[0] ?? 'nothing was written');
}

function check(path: string, name: string): void {
  const written = join(folder, `written-${name}`);
  writeFileSync(written, assertFaithful(readFileSync(path), name));
  if (/\.(?:docx|odt)$/.test(name))
    assert.equal(readFileSync(office('pdf', written)).subarray(0, 5).toString(), '%PDF-', name);
  if (name.endsWith('.epub')) {
    // A fault of the maker is not ours: only what is new counts.
    const before = new Set(epubFaults(path));
    assert.deepEqual(
      epubFaults(written).filter((fault) => !before.has(fault)),
      [],
      name,
    );
  }
}

function epubFaults(path: string): string[] {
  const { stdout, stderr } = spawnSync('java', ['-jar', '/usr/bin/epubcheck', path], { encoding: 'utf8' });
  assert.match(stdout + stderr, /Messages:/);
  const lines = (stdout + stderr).split('\n').filter((line) => /^(?:ERROR|FATAL)/.test(line));
  return lines.map((line) => line.replace(/\(\d+,\d+\)/, '').replace(path, ''));
}

for (const text of texts) {
  const stem = (text.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
  const made = (extension: string) => join(folder, `${stem}.${extension}`);
  for (const extension of pandocFormats) {
    test(`${stem}.${extension} of pandoc`, () => {
      const to = extension.replace(/\.(?:md|epub)$/, '');
      program(
        'pandoc',
        '-f',
        'markdown',
        '-t',
        to,
        '-s',
        '--toc',
        '--metadata',
        `pagetitle=${stem}`,
        text,
        '-o',
        made(extension),
      );
      check(made(extension), `${stem}.${extension}`);
    });
  }
  test(`${stem} of LibreOffice`, () => {
    for (const [from, target] of [
      ['docx', 'odt'],
      ['odt', 'docx'],
      ['odt', 'html'],
    ] as const)
      check(office(target, made(from)), `${stem}-office.${target}`);
  });
  test(`${stem} of calibre`, () => {
    for (const extension of ['docx', 'fb2', 'epub']) {
      const path = join(folder, `${stem}-calibre.${extension}`);
      program('ebook-convert', made('epub3.epub'), path);
      check(path, `${stem}-calibre.${extension}`);
    }
  });
}
