import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { packEpub } from '../../bench/pack-epub.ts';
import { blocksOf } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { keepReading, keptReading } from '../../src/documents/kept-reading.ts';
import { countSource, openJudgedSource, type SourceFile } from '../../src/documents/source-jobs.ts';
import { makeNovel } from '../translation/novel.ts';
import { sampleEpub2, sampleEpub3, sampleHtml, sampleVerticalEpub } from './sample-books.ts';
import { sampleDocx, sampleOdt } from './sample-office.ts';

const folder = await mkdtemp(join(tmpdir(), 'toledo-kept-'));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, String(++files));

const samples = { sampleEpub2, sampleEpub3, sampleVerticalEpub, sampleDocx, sampleOdt, sampleHtml };
for (const [name, make] of Object.entries(samples)) {
  test(`what is kept of ${name} is what was read`, () => {
    const { document, warnings } = openDocument(make());
    const path = newPath();
    keepReading(path, { document, warnings });
    assert.deepEqual(keptReading(path), { document, warnings });
  });
}

test('texts with tags, line breaks and characters of every length are kept, half of a pair is not', () => {
  const { document, warnings } = openDocument(sampleEpub3());
  const [section] = document.sections;
  assert.ok(section);
  const texts = ['<1>Eins</1>\nzwei', '', '\n', '😀 «да» 漢字', '"\\{}', '\u2028\ufeff'];
  const blocks = texts.map((text, i) => ({ id: `b${i + 1}`, kind: 'verse' as const, text, characters: text.length }));
  const kept = (sections: (typeof section)[]) => {
    const path = newPath();
    const read = { document: { ...document, sections }, warnings };
    return { isKept: keepReading(path, read), same: isDeepStrictEqual(keptReading(path), read) };
  };
  const title = undefined;
  assert.deepEqual(kept([{ title, blocks }, section, { title: 'Leer', blocks: [] }, { title: 'Ende', blocks }]), {
    isKept: true,
    same: true,
  });
  const half = { id: 'b9', kind: 'verse' as const, text: 'a\ud83d', characters: 2 };
  assert.equal(kept([{ title, blocks: [...blocks, half] }]).isKept, false);
});

async function novelFile(): Promise<SourceFile> {
  const chapters = makeNovel(80_000).sections.map(({ blocks }) => blocks.map(({ text }) => `<p>${text}</p>`).join(''));
  const bytes = packEpub(chapters);
  const path = newPath();
  await writeFile(path, bytes);
  return {
    path,
    sizeBytes: bytes.length,
    fileName: 'novel.epub',
    charLimit: undefined,
    skipFrontMatter: false,
    maxCharacters: 1_000_000,
    maxArchiveBytes: 10_000_000,
    readingPath: newPath(),
  };
}

test('a novel that was counted is opened from what was kept, and written as one that is read again', async () => {
  const source = await novelFile();
  const { isKept, characters } = countSource(source);
  assert.equal(isKept, true);
  const { readingPath: _, ...unread } = source;
  const [kept, read] = [await openJudgedSource(source), await openJudgedSource(unread)];
  assert.deepEqual(kept.document, read.document);
  assert.deepEqual([kept.language, kept.document.characters], [read.language, characters]);
  const texts = new Map(blocksOf(read.document).map(({ id, text }) => [id, text.toUpperCase()]));
  const options = { sourceLang: 'en', targetLang: 'de', variant: 'bilingual' } as const;
  const edition = { id: 'e', modifiedAt: new Date(0) };
  const written = [kept, read].map(({ begin }) => begin([{ ...options, edition }]).finish(texts)[0]?.bytes);
  assert.deepEqual(written[0], written[1]);
});

test('what is kept is used, unless it is damaged, cut off or of another version: then the source is read', async () => {
  const source = await novelFile();
  countSource(source);
  const path = source.readingPath ?? '';
  const good = await readFile(path, 'utf8');
  const firstText = async () => blocksOf((await openJudgedSource(source)).document)[0]?.text;
  const asRead = await firstText();
  await writeFile(path, good.replace('"title"', '"titel"'));
  assert.equal(await firstText(), asRead);
  const damages = [
    '',
    '\n',
    good.slice(0, good.length / 2),
    good.slice(0, -1),
    good.replace(/^\{"reader":"[^"]+"/, '{"reader":"0.0.0 0"'),
    good.replaceAll('e', 'é'),
    'x'.repeat(100),
  ];
  for (const damaged of damages) {
    await writeFile(path, damaged);
    assert.equal(keptReading(path), undefined);
    assert.equal(await firstText(), asRead);
  }
  await writeFile(path, good);
  assert.notEqual(keptReading(path), undefined);
});

test('a reading that cannot be written does not keep a source from being counted', async () => {
  const source = await novelFile();
  const { isKept, characters } = countSource({ ...source, readingPath: join(folder, 'nowhere', 'reading') });
  assert.equal(isKept, false);
  assert.ok(characters > 70_000);
});

test('a part of a novel, plain text and short texts are not kept', async () => {
  const source = await novelFile();
  assert.equal(countSource({ ...source, charLimit: 60_000 }).isKept, false);
  assert.equal(countSource({ ...source, skipFrontMatter: true }).isKept, false);
  const { readingPath: _, ...unasked } = source;
  assert.equal(countSource(unasked).isKept, false);
  await writeFile(source.path, 'She went down to the quay.\n\n'.repeat(3_000));
  assert.equal(countSource({ ...source, fileName: 'a.txt' }).isKept, false);
  await writeFile(source.path, sampleEpub3());
  assert.equal(countSource(source).isKept, false);
});
