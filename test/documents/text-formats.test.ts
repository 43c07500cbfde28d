import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { createArchive } from '../../src/documents/archive/archive-writer.ts';
import { Edits } from '../../src/documents/markup/edits.ts';
import { testConformance } from './conformance.ts';
import { sampleDocx, sampleOdt } from './sample-office.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const onePart = { partsOf: (bytes: Uint8Array) => new Map([['text', bytes]]), mayChange: () => true };
const entriesOf = (bytes: Uint8Array) => {
  const archive = openArchive(bytes);
  return new Map(archive.entries.map((entry) => [entry.name, archive.read(entry.name) as Uint8Array]));
};

testConformance({
  name: 'Japanese TXT',
  bytes: fixture('ja.txt'),
  sourceLang: 'ja',
  targetLang: 'de',
  ...onePart,
  keeps: ['＊　　＊　　＊', '［＃ここから２字下げ］', '底本：「霧の灯台」'],
  drops: ['《きり》', '｜灯台守'],
});
testConformance({
  name: 'Korean TXT',
  bytes: fixture('ko.txt'),
  sourceLang: 'ko',
  targetLang: 'de',
  ...onePart,
  keeps: ['* * *'],
});
testConformance({
  name: 'wrapped French TXT',
  bytes: fixture('fr.txt'),
  sourceLang: 'fr',
  targetLang: 'de',
  ...onePart,
  keeps: ['       *       *       *       *       *'],
});
testConformance({
  name: 'Russian TXT',
  bytes: fixture('ru.txt'),
  sourceLang: 'ru',
  targetLang: 'de',
  ...onePart,
  keeps: ['***'],
});
testConformance({
  name: 'Markdown',
  bytes: fixture('en.md'),
  fileName: 'letters.md',
  sourceLang: 'en',
  targetLang: 'de',
  ...onePart,
  keeps: ["KEEPER'S LOG: nothing seen", '***', '`brass`', '](https://example.org/map "Map")', '](tower.png)'],
});
testConformance({
  name: 'FB2',
  bytes: fixture('es.fb2'),
  sourceLang: 'es',
  targetLang: 'de',
  ...onePart,
  keeps: ['<subtitle>* * *</subtitle>', '<empty-line/>', '<lang>de</lang><src-lang>es</src-lang>', 'iVBORw0KGgo='],
});
testConformance({
  name: 'zipped FB2',
  bytes: createArchive([
    { name: 'faro.fb2', content: fixture('es.fb2') },
    { name: 'leeme.txt', content: Buffer.from('léeme') },
  ]),
  sourceLang: 'es',
  targetLang: 'ru',
  partsOf: entriesOf,
  mayChange: (part) => part === 'faro.fb2',
});
testConformance({
  name: 'DOCX',
  bytes: sampleDocx(),
  sourceLang: 'en',
  targetLang: 'de',
  partsOf: entriesOf,
  mayChange: (part) => /^word\/(?:document|footnotes|header1)\.xml$/.test(part),
  keeps: [
    '* * *',
    '<w:footnoteReference w:id="2"/>',
    '<w:footnoteRef/>',
    'r:embed="rId10"',
    '<w:bookmarkStart w:id="0" w:name="_c1"/>',
    'Editor: check this.',
  ],
  drops: ['perhaps'],
});
testConformance({
  name: 'ODT',
  bytes: sampleOdt(),
  sourceLang: 'ar',
  targetLang: 'de',
  partsOf: entriesOf,
  mayChange: (part) => part === 'content.xml' || part === 'styles.xml',
  keeps: [
    '* * *',
    '<text:note-citation>1</text:note-citation>',
    '<text:tab/>',
    'fo:language="de"',
    'style:writing-mode="lr-tb"',
  ],
});

test('40,000 changes from the beginning to the end of a text are made in time that grows with their number', () => {
  const start = process.cpuUsage();
  const edits = new Edits('ab'.repeat(40_000));
  for (let at = 0; at < 80_000; at += 2) {
    edits.replace(at, at + 1, 'x');
    assert.equal(edits.slice(at, at + 2), 'xb');
  }
  assert.equal(edits.apply(), 'xb'.repeat(40_000));
  // Sorted anew for each this took 21 s. Processor time, because others may use the machine too.
  const usedMs = process.cpuUsage(start).user / 1000;
  assert.ok(usedMs < 5_000, `${usedMs} ms`);
});
