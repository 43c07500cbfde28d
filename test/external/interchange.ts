/**
 * Programs of other people read what we write: Debian's OmegaT (console mode), the translate-toolkit, and xmllint with the schema of
 * OASIS, which php-symfony-translation carries. `apt-get install omegat python3-translate libxml2-utils php-symfony-translation`
 */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { InterchangeUnit } from '../../src/interchange/interchange-book.ts';
import { matchCorrections } from '../../src/interchange/match-corrections.ts';
import { readCorrections } from '../../src/interchange/read-corrections.ts';
import { writeTmx } from '../../src/interchange/tmx.ts';
import { writeXliff } from '../../src/interchange/xliff.ts';
import { taggedText } from '../support/tagged-text.ts';

const run = promisify(execFile);
const languages = { sourceLang: 'es', targetLang: 'en' };
const folder = await mkdtemp(join(tmpdir(), 'toledo-omegat-'));
after(() => rm(folder, { recursive: true, force: true }));

const units = Array.from(
  { length: 200 },
  (_each, i): InterchangeUnit => ({
    id: `b${i + 1}`,
    source: `La carta <1>número <2>${i}</2></1> llegó & nadie<3/> la abrió.`,
    target: `Letter <1>number <2>${i}</2></1> came & nobody<3/> opened it.`,
    state: 'translated',
    notes: [],
  }),
);
const book = { fileName: 'novel.epub', ...languages, chapters: [{ title: 'Uno', units }] };

test('OmegaT opens our XLIFF and TMX, changes a paragraph and saves a file that comes back as one correction', async () => {
  for (const name of ['source', 'target', 'omegat', 'glossary', 'tm', 'dictionary']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'source/novel.xlf'), writeXliff(book));
  await writeFile(join(folder, 'tm/novel.tmx'), writeTmx(book));
  await writeFile(join(folder, 'omegat.project'), project);
  await writeFile(join(folder, 'omegat/project_save.tmx'), savedByOmegat);
  const { stdout, stderr } = await run('omegat', ['--mode=console-translate', folder], { timeout: 120_000 });
  assert.match(stdout + stderr, /Reading of TMX file complete/);
  const back = await readCorrections(await readFile(join(folder, 'target/novel.xlf')), languages);
  const blocks = units.map((unit) => ({ ...unit, machine: unit.target }));
  const { texts, counts } = matchCorrections(back, blocks, { isFile: true, replaces: false });
  assert.deepEqual(
    texts.map(({ blockIds, target }) => [blockIds, target]),
    [[['b8'], 'The letter <1>numbered <2>7</2></1> came & no one<3/> opened it.']],
  );
  assert.deepEqual([counts.unchanged, counts.refused], [199, 0]);
  assert.ok(
    back.every(({ exported }) => exported !== undefined),
    'OmegaT keeps what says what was exported',
  );
});

test('the translate-toolkit reads every unit of both', async () => {
  await writeFile(join(folder, 'novel.xlf'), writeXliff(book));
  await writeFile(join(folder, 'novel.tmx'), writeTmx(book));
  const program = `
from translate.storage import xliff, tmx
x = [u for u in xliff.xlifffile.parsefile("novel.xlf").units if u.istranslatable()]
t = tmx.tmxfile.parsefile("novel.tmx").units
print(len(x), len(t), all(u.target for u in x))`;
  const { stdout } = await run('/usr/bin/python3', ['-c', program], { cwd: folder });
  assert.equal(stdout.trim(), '200 200 True');
});

test('our XLIFF is valid by the strict schema of OASIS, whatever is in it', async () => {
  const schemas = '/usr/share/php/Symfony/Component/Translation/Resources/schemas';
  const schema = await readFile(join(schemas, 'xliff-core-1.2-strict.xsd'), 'utf8');
  await writeFile(
    join(folder, 'xliff.xsd'),
    schema.replace('http://www.w3.org/2001/xml.xsd', `file://${join(schemas, 'xml.xsd')}`),
  );
  const states = ['translated', 'untranslated', 'review', 'final'] as const;
  const tagged = fc.sample(fc.tuple(taggedText, taggedText), { numRuns: 500, seed: 19 });
  const hostile = tagged.map(([source, target], i): InterchangeUnit => {
    const overlaps = i % 7 === 0;
    return {
      id: `b${i + 201}`,
      source: overlaps ? '<1>a<2>b</1>c</2>' : source,
      target: overlaps ? '<2>a<1>b</2>c</1>' : target,
      state: states[i % states.length] ?? 'final',
      notes: ['a "note" & <more>', 'Terms: Inés & Co → Ines'],
    };
  });
  const chapters = [...book.chapters, { title: 'Two <1> & three', units: hostile }, { title: undefined, units: [] }];
  for (const [n, one] of [book, { ...book, fileName: 'a "b" & <c>.epub', targetLang: 'zh-Hant', chapters }].entries()) {
    await writeFile(join(folder, `valid-${n}.xlf`), writeXliff(one));
    const { stderr } = await run('xmllint', ['--noout', '--nonet', '--schema', 'xliff.xsd', `valid-${n}.xlf`], {
      cwd: folder,
    });
    assert.match(stderr, /validates/);
  }
});

const project = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<omegat><project version="1.0"><source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir><tm_dir>__DEFAULT__</tm_dir><glossary_dir>__DEFAULT__</glossary_dir><glossary_file>__DEFAULT__</glossary_file><dictionary_dir>__DEFAULT__</dictionary_dir><source_lang>ES</source_lang><target_lang>EN</target_lang><sentence_seg>false</sentence_seg><support_default_translations>true</support_default_translations><remove_tags>false</remove_tags></project></omegat>`;

/**
 * A translator's change, in OmegaT's own words: it numbers the tags of a paragraph as g0, g1, x2, and shows the translation that
 * an XLIFF file already has as the text to work on.
 */
const savedByOmegat = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx11.dtd">
<tmx version="1.1"><header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" datatype="plaintext" creationtoolversion="3.6" segtype="paragraph" srclang="ES"/>
<body><tu><tuv lang="ES"><seg>Letter &lt;g0&gt;number &lt;g1&gt;7&lt;/g1&gt;&lt;/g0&gt; came &amp; nobody&lt;x2/&gt; opened it.</seg></tuv>
<tuv lang="EN"><seg>The letter &lt;g0&gt;numbered &lt;g1&gt;7&lt;/g1&gt;&lt;/g0&gt; came &amp; no one&lt;x2/&gt; opened it.</seg></tuv></tu></body></tmx>`;
