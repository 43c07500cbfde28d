import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import { exportedHash } from '../../src/correction.ts';
import { AppError } from '../../src/errors.ts';
import type { InterchangeBook, InterchangeUnit } from '../../src/interchange/interchange-book.ts';
import { matchCorrections } from '../../src/interchange/match-corrections.ts';
import { readCorrections } from '../../src/interchange/read-corrections.ts';
import { writeTbx } from '../../src/interchange/tbx.ts';
import { writeTmx } from '../../src/interchange/tmx.ts';
import { writeXliff } from '../../src/interchange/xliff.ts';
import { taggedText } from '../support/tagged-text.ts';

const languages = { sourceLang: 'es', targetLang: 'en' };

function bookOf(units: InterchangeUnit[]): InterchangeBook {
  return {
    fileName: 'novel & more.epub',
    ...languages,
    chapters: [
      { title: 'One <1>', units },
      { title: undefined, units: [] },
    ],
  };
}

const asTranslated = <T extends { target: string }>(unit: T) => ({ ...unit, machine: unit.target });
const bytesOf = (text: string) => new TextEncoder().encode(text);

test('1,000 units with nested tags come back as they were, from XLIFF and from TMX', async () => {
  const pairs = fc.sample(fc.tuple(taggedText, taggedText), { numRuns: 1000, seed: 19 });
  const units = pairs.map(
    ([source, target], i): InterchangeUnit => ({
      id: `b${i + 1}`,
      source,
      target,
      state: 'translated',
      notes: ['a "note" & <more>'],
    }),
  );
  for (const write of [writeXliff, writeTmx]) {
    const read = await readCorrections(bytesOf(write(bookOf(units))), languages);
    assert.deepEqual(
      read,
      units.map(({ id, source, target }) => ({ id, source, target, exported: exportedHash(target) })),
    );
    const { texts, counts } = matchCorrections(read, units.map(asTranslated), { isFile: true, replaces: false });
    assert.deepEqual([texts, counts.unchanged, counts.refused, counts.conflicting], [[], 1000, 0, 0]);
  }
});

test('a unit is matched by its id, else by its source text; damaged tags are refused with the reason', async () => {
  const blocks = [
    { id: 'b1', source: 'Hola <1>Ana</1>', target: 'Hi <1>Ana</1>' },
    { id: 'b2', source: 'Adiós', target: 'Bye' },
  ].map(asTranslated);
  const { texts, counts } = matchCorrections(
    [
      { id: 'b1', source: 'Hola <1>Ana</1>', target: 'Hello <1>Ana</1>' },
      { id: 'other-tool-7', source: 'Adiós ', target: 'Farewell' },
      { id: 'b1', source: 'Hola <1>Ana</1>', target: 'Hello Ana' },
      { id: 'b2', source: 'Another book', target: 'x' },
      { id: 'b2', source: 'Adiós', target: ' ' },
      { id: 'b2', source: 'Adiós', target: 'x', fault: 'UNKNOWN_MARKUP' },
    ],
    blocks,
    { isFile: true, replaces: false },
  );
  assert.deepEqual(
    texts.map(({ blockIds, target }) => [blockIds, target]),
    [
      [['b1'], 'Hello <1>Ana</1>'],
      [['b2'], 'Farewell'],
    ],
  );
  assert.deepEqual(
    counts.refusals.map(({ reason }) => reason),
    ['DAMAGED_TAGS', 'UNKNOWN_UNIT', 'EMPTY_TARGET', 'UNKNOWN_MARKUP'],
  );
});

test('lines with the same words: each keeps its own, one decision holds for all, and a second one is refused', () => {
  const line = (id: string, target: string) => ({ id, source: 'Sí.', machine: target, target });
  const blocks = [line('b1', 'Yes.'), line('b2', 'Indeed.'), line('b3', 'Yes.')];
  const unit = (target: string) => ({ id: undefined, source: 'Sí.', target });
  const match = (targets: string[], isFile: boolean) =>
    matchCorrections(targets.map(unit), blocks, { isFile, replaces: false });
  const asExported = match(['Yes.', 'Indeed.'], true);
  assert.deepEqual([asExported.texts, asExported.counts.unchanged], [[], 2], 'no line gets the words of another');
  const { texts, counts } = match(['Sure.', 'Sure.', 'Right.'], true);
  assert.deepEqual(texts, [
    {
      source: 'Sí.',
      target: 'Sure.',
      before: ['Yes.', 'Indeed.', 'Yes.'],
      blockIds: ['b1', 'b2', 'b3'],
      isOfText: true,
    },
  ]);
  assert.deepEqual([counts.taken, counts.unchanged, counts.refused], [3, 1, 1]);
  assert.deepEqual(match(['Yes.'], false).texts[0]?.blockIds, ['b2'], 'a list gives all of them the same words');
});

test('hostile XML is refused with a reason, whatever it is', async () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE xliff [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><xliff version="1.2"><file><body><trans-unit id="b1"><source>&b;</source><target>&b;</target></trans-unit></body></file></xliff>`;
  const external = '<?xml version="1.0"?><!DOCTYPE xliff SYSTEM "file:///etc/passwd"><xliff version="1.2"/>';
  const hostile: [string, string][] = [
    [bomb, 'XML_DOCTYPE'],
    [external, 'XML_DOCTYPE'],
    ['<xliff version="1.2"><file>', 'MALFORMED_XML'],
    ['<xliff version="1.2">&nbsp;</xliff>', 'MALFORMED_XML'],
    [`<xliff version="1.2">${'<g>'.repeat(100_000)}`, 'XML_DEPTH'],
    ['<html/>', 'UNSUPPORTED_FORMAT'],
    ['', 'UNSUPPORTED_FORMAT'],
    ['\u0000'.repeat(1000), 'UNSUPPORTED_FORMAT'],
  ];
  for (const [xml, reason] of hostile) {
    await assert.rejects(readCorrections(bytesOf(xml), languages), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.details?.reason, reason, xml.slice(0, 60));
      return true;
    });
  }
  await assert.rejects(readCorrections(new Uint8Array([0xc3, 0x28, 0x3c]), languages), /not valid UTF-8/);
});

test('a glossary is TBX with one entry per term', () => {
  const term = { confidence: 1, type: 'person', gender: 'female', occurrences: 1, origin: 'supplied' } as const;
  const tbx = writeTbx([{ ...term, source: 'Inés & Co', target: 'Ines', aliases: ['Nes'] }], 'es', 'en', 'novel');
  assert.match(tbx, /<tbx type="TBX-Basic"/);
  assert.match(tbx, /<term>Inés &amp; Co<\/term>/);
  assert.equal(tbx.match(/<termSec>/g)?.length, 3);
});
