/**
 * What every format owes: nothing lost, nothing twice, nothing else changed. Call it once for each sample; it needs
 * no knowledge of the format but how to look at the parts of a file.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertCoverage,
  type Block,
  blocksOf,
  countCharacters,
  type WriteOptions,
} from '../../src/documents/document.ts';
import { inlineTagsNest, inlineTagsOf, stripInlineTags, tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument, writeDocument } from './read-and-write.ts';

export interface ConformanceSample {
  name: string;
  bytes: Uint8Array;
  fileName?: string;
  sourceLang: string;
  targetLang: string;
  /** Named parts of a file, so that untouched ones can be compared byte for byte. A text format is one part. */
  partsOf: (bytes: Uint8Array) => Map<string, Uint8Array>;
  /** Parts that hold text, or name the language: they may change. */
  mayChange: (part: string) => boolean;
  /** Words of the sample that stand in no block and must be found in the output as they are. */
  keeps?: readonly string[];
  /** Words that must not be in the translated output: annotations of the source. */
  drops?: readonly string[];
}

export function testConformance(sample: ConformanceSample): void {
  const { name, bytes } = sample;
  const source = sample.fileName === undefined ? {} : { fileName: sample.fileName };
  const read = (input: Uint8Array, charLimit?: number) =>
    readDocument(input, charLimit === undefined ? source : { ...source, charLimit }).document;
  const options = (variant: WriteOptions['variant']): WriteOptions => ({
    sourceLang: sample.sourceLang,
    targetLang: sample.targetLang,
    variant,
  });
  const textOf = (output: Uint8Array) =>
    [...sample.partsOf(output)]
      .filter(([part]) => sample.mayChange(part))
      .map(([, content]) => Buffer.from(content).toString('utf8'))
      .join('\n');

  test(`${name}: every character is in a block or skipped with a reason, and ids count up`, () => {
    const document = read(bytes);
    assertCoverage(document);
    const blocks = blocksOf(document);
    assert.deepEqual(
      blocks.map((block) => block.id),
      blocks.map((_, i) => `b${i + 1}`),
    );
    for (const block of blocks) {
      assert.equal(block.characters, countCharacters(stripInlineTags(block.text)));
      assert.ok(inlineTagsNest(block.text), block.text);
      assert.ok(block.characters > 0);
    }
    assert.deepEqual(read(bytes), document);
  });

  test(`${name}: written without translations it reads the same and untouched parts are byte-identical`, () => {
    const document = read(bytes);
    const written = writeDocument(bytes, source, new Map(), options('translated'));
    assert.deepEqual(texts(read(written.bytes)), texts(document));
    const before = sample.partsOf(bytes);
    const after = sample.partsOf(written.bytes);
    assert.deepEqual([...after.keys()], [...before.keys()]);
    for (const [part, content] of before) {
      if (!sample.mayChange(part)) assert.deepEqual(after.get(part), content, part);
    }
    const again = writeDocument(bytes, source, new Map(), options('translated'));
    assert.deepEqual(again.bytes, written.bytes);
  });

  test(`${name}: a marking translation reaches every block exactly once`, () => {
    const document = read(bytes);
    const translations = new Map(blocksOf(document).map((block) => [block.id, mark(block)]));
    const written = writeDocument(bytes, source, translations, options('translated'));
    const output = read(written.bytes);
    assert.deepEqual(
      texts(output),
      blocksOf(document).map((block) => squeeze(mark(block))),
    );
    const all = textOf(written.bytes);
    for (const word of sample.keeps ?? []) assert.ok(all.includes(word), `${word} is kept`);
    for (const word of sample.drops ?? []) assert.ok(!all.includes(word), `${word} is dropped`);
    assert.deepEqual(written.warnings ?? [], []);
  });

  test(`${name}: inline markup survives in order and out of order, and broken tags lose no word`, () => {
    const document = read(bytes);
    const tagged = blocksOf(document).filter((block) => inlineTagsOf(block.text).length > 0);
    const turned = new Map(tagged.map((block) => [block.id, turnRound(block.text)]));
    const output = read(writeDocument(bytes, source, turned, options('translated')).bytes);
    const byId = new Map(blocksOf(output).map((block) => [block.id, block]));
    for (const block of tagged) {
      assert.equal(inlineTagsOf(byId.get(block.id)?.text ?? '').length, inlineTagsOf(block.text).length, block.text);
    }
    const broken = new Map(blocksOf(document).map((block) => [block.id, `</9><7>Zwölf ${block.id} <1>Worte</2>.`]));
    const repaired = writeDocument(bytes, source, broken, options('translated'));
    for (const block of blocksOf(read(repaired.bytes))) {
      const plain = stripInlineTags(block.text);
      assert.ok(plain.includes(`Zwölf ${block.id} Worte`), plain);
    }
  });

  test(`${name}: bilingual output holds every source and every translation, and no id twice`, () => {
    const document = read(bytes);
    const translations = new Map(blocksOf(document).map((block) => [block.id, `Übersetzung${block.id}ü`]));
    const written = writeDocument(bytes, source, translations, options('bilingual'));
    // A label holds both languages in one line and repeats headings, so the two kinds are looked at apart.
    for (const isLabel of [false, true]) {
      const found = blocksOf(read(written.bytes)).filter((block) => (block.kind === 'label') === isLabel);
      const all = found.map((block) => stripInlineTags(block.text)).join('\n');
      const flat = all.replace(/\s+/g, '');
      for (const block of blocksOf(document).filter((candidate) => (candidate.kind === 'label') === isLabel)) {
        assert.ok(flat.includes(stripInlineTags(block.text).replace(/\s+/g, '')), block.text);
        assert.equal(all.split(`Übersetzung${block.id}ü`).length, 2, block.id);
      }
    }
    for (const [part, content] of sample.partsOf(written.bytes)) {
      const ids = [
        ...Buffer.from(content)
          .toString('utf8')
          .matchAll(/\s(?:xml:)?id="([^"]*)"/g),
      ].map((match) => match[1]);
      assert.equal(new Set(ids).size, ids.length, `ids of ${part}`);
    }
  });

  test(`${name}: a character limit gives exactly the opening range as a file of the same format`, () => {
    const whole = read(bytes);
    const sequence = blocksOf(whole)
      .map((block) => stripInlineTags(block.text))
      .join('');
    for (const limit of limitsFor(whole.totalCharacters)) {
      const document = read(bytes, limit);
      assertCoverage(document);
      const plain = blocksOf(document)
        .map((block) => stripInlineTags(block.text))
        .join('');
      assert.equal(document.totalCharacters, whole.totalCharacters);
      assert.ok(document.characters <= limit && document.characters > limit - 12, `${document.characters} of ${limit}`);
      // Plain text also counts what stands between its blocks.
      if (document.format === 'txt') assert.ok(countCharacters(plain) <= document.characters);
      else assert.equal(countCharacters(plain), document.characters);
      assert.ok(sequence.startsWith(plain));
      for (const variant of ['translated', 'bilingual'] as const) {
        const written = writeDocument(bytes, { ...source, charLimit: limit }, new Map(), options(variant));
        // Entries of a contents list stand before what they lead to, and may repeat a heading that the limit has cut.
        const running = blocksOf(document).filter((block) => block.kind !== 'label');
        const expected = running.map((block) => stripInlineTags(block.text)).join('');
        const again = readText(read, written.bytes);
        assert.ok(again.startsWith(expected.replace(/\s+/g, '')), `${variant} ${limit}\n${again}\n${plain}`);
        const beyond = blocksOf(whole).slice(blocksOf(document).length + 1);
        for (const block of beyond.filter((candidate) => candidate.kind !== 'label' && candidate.characters > 12)) {
          const text = stripInlineTags(block.text).replace(/\s+/g, '');
          if (!plain.replace(/\s+/g, '').includes(text)) assert.ok(!textOf(written.bytes).includes(text), block.text);
        }
      }
    }
  });
}

type Reader = (bytes: Uint8Array) => ReturnType<typeof readDocument>['document'];

/** A limit may leave no words at all, which a whole document is refused for. */
function readText(read: Reader, bytes: Uint8Array): string {
  return blocksOf(read(bytes))
    .filter((block) => block.kind !== 'label')
    .map((block) => stripInlineTags(block.text))
    .join('')
    .replace(/\s+/g, '');
}

function texts(document: ReturnType<Reader>): string[] {
  return blocksOf(document).map((block) => squeeze(block.text));
}

function squeeze(text: string): string {
  return text.replace(/[^\S\n]+/g, ' ');
}

/** Marks every piece of text between tags, so that a lost or doubled piece shows. */
function mark(block: Block): string {
  return tokenizeInline(block.text)
    .map((token) => (token.kind === 'text' ? token.text.replace(/\p{L}[\p{L}\p{M}]*/gu, 'x$&ž') : token.raw))
    .join('');
}

/** The top-level pieces of a text in the opposite order: engines move words and their markup about. */
function turnRound(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const token of tokenizeInline(text)) {
    piece += token.kind === 'text' ? token.text : token.raw;
    if (token.kind === 'open') depth++;
    else if (token.kind === 'close') depth--;
    if (depth === 0) {
      pieces.push(piece.trim());
      piece = '';
    }
  }
  return `vor ${pieces.toReversed().join(' ')} nach`;
}

function limitsFor(total: number): number[] {
  const steps = Array.from({ length: 12 }, (_, i) => Math.floor((total * (i + 1)) / 12));
  return [...new Set([20, 33, 47, ...steps])].filter((limit) => limit >= 20 && limit <= total);
}
