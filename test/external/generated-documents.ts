/**
 * Books that pandoc, LibreOffice and calibre make out of our own texts are read, written unchanged, translated and read
 * again; what we write opens in LibreOffice and passes epubcheck. Needs Debian's pandoc, libreoffice-writer, calibre and
 * epubcheck; the size is how many of the texts are taken, each of them becomes 14 documents. Where a program is missing, it says so and takes
 * the documents that they made before.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertFaithful } from '../documents/faithful.ts';
import { missingPrograms, proofRun } from '../support/proof.ts';

const epubcheckJar = '/usr/bin/epubcheck';
const missing = missingPrograms({
  pandoc: "Debian's pandoc",
  soffice: "Debian's libreoffice-writer",
  'ebook-convert': "Debian's calibre",
  [epubcheckJar]: "Debian's epubcheck",
});
const { size } = proofRun({ short: 1, long: 6, seed: 1 });
const folder = mkdtempSync(join(tmpdir(), 'generated-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let documents = 0;
after(() => console.log(`${documents} documents`));

const fixtures = fileURLToPath(new URL('../documents/fixtures/', import.meta.url));
const samples = fileURLToPath(new URL('../../scripts/samples/', import.meta.url));
const texts = [
  join(fixtures, 'generated/rich.md'),
  join(fixtures, 'generated/changes.md'),
  join(samples, 'el-faro-de-sal.md'),
  join(fixtures, 'en.md'),
  join(fixtures, 'fr.txt'),
  join(fixtures, 'ru.txt'),
].slice(0, size);
const pandocFormats = ['docx', 'odt', 'epub2.epub', 'epub3.epub', 'fb2', 'html', 'markdown.md', 'gfm.md'];

/** Not synchronous: nothing would be reported until the last program has ended. A program that hangs is a failure. */
async function program(name: string, ...args: string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { cwd: join(fixtures, 'generated'), timeout: 120_000, killSignal: 'SIGKILL' as const };
    execFile(name, args, options, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`${name} ${args.join(' ')} hangs`, { cause: error }));
      else if (error && name !== 'java') reject(new Error(`${name} ${args.join(' ')}: ${stderr}`, { cause: error }));
      else resolve(stdout + stderr);
    });
  });
}

async function office(target: string, path: string): Promise<string> {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const out = mkdtempSync(join(folder, 'office-'));
  await program('soffice', profile, '--headless', '--convert-to', target, '--outdir', out, path);
  return join(out, readdirSync(out)[0] ?? 'nothing was written');
}

async function check(path: string, name: string): Promise<void> {
  documents++;
  const written = join(folder, `written-${name}`);
  writeFileSync(written, assertFaithful(readFileSync(path), name));
  if (/\.(?:docx|odt)$/.test(name))
    assert.equal(
      readFileSync(await office('pdf', written))
        .subarray(0, 5)
        .toString(),
      '%PDF-',
      name,
    );
  if (!name.endsWith('.epub')) return;
  const faults = await epubFaults(written);
  if (faults.length === 0) return;
  // A fault of the maker is not ours: only what is new counts.
  const before = new Set(await epubFaults(path));
  assert.deepEqual(
    faults.filter((fault) => !before.has(fault)),
    [],
    name,
  );
}

async function epubFaults(path: string): Promise<string[]> {
  const output = await program('java', '-XX:TieredStopAtLevel=1', '-jar', epubcheckJar, path);
  assert.match(output, /Messages:/);
  const lines = output.split('\n').filter((line) => /^(?:ERROR|FATAL)/.test(line));
  return lines.map((line) => line.replace(/\(\d+,\d+\)/, '').replace(path, ''));
}

for (const program of missing) console.log(`Missing: ${program}`);
if (missing.length > 0)
  for (const name of readdirSync(join(fixtures, 'generated')).filter((file) => !/^rich|^changes|\.png$/.test(file)))
    test(`${name}, made before`, () => {
      documents++;
      assertFaithful(readFileSync(join(fixtures, 'generated', name)), name);
    });

for (const text of missing.length > 0 ? [] : texts) {
  const stem = (text.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
  const made = (extension: string) => join(folder, `${stem}.${extension}`);
  for (const extension of pandocFormats) {
    test(`${stem}.${extension} of pandoc`, async () => {
      const to = extension.replace(/\.(?:md|epub)$/, '');
      const options = ['-f', 'markdown', '-t', to, '-s', '--toc', '--metadata', `pagetitle=${stem}`];
      await program('pandoc', ...options, text, '-o', made(extension));
      await check(made(extension), `${stem}.${extension}`);
    });
  }
  for (const [from, target] of [
    ['docx', 'odt'],
    ['odt', 'docx'],
    ['odt', 'html'],
  ] as const) {
    test(`${stem}.${target} of LibreOffice`, async () =>
      await check(await office(target, made(from)), `${stem}-office.${target}`));
  }
  for (const extension of ['docx', 'fb2', 'epub']) {
    test(`${stem}.${extension} of calibre`, async () => {
      const path = join(folder, `${stem}-calibre.${extension}`);
      await program('ebook-convert', made('epub3.epub'), path);
      await check(path, `${stem}-calibre.${extension}`);
    });
  }
}
