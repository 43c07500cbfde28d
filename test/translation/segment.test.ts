import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Block, countCharacters } from '../../src/documents/document.ts';
import { inlineTagsNest, inlineTagsOf, stripInlineTags } from '../../src/inline-tags.ts';
import { splitSentences, splitText } from '../../src/language/sentences.ts';
import { planSegments } from '../../src/translation/plan/segment.ts';
import { assembleBlock, maxUnitCharacters, unitsOf } from '../../src/translation/plan/units.ts';
import { segmentKey } from '../../src/translation/plan-book.ts';
import { makeNovel, paragraphs } from './novel.ts';

function blockOf(text: string): Block {
  return { id: 'b1', kind: 'paragraph', text, characters: countCharacters(stripInlineTags(text)) };
}

test('sentences respect abbreviations, quotes and speech that runs on', () => {
  const cases: [string, string, string[]][] = [
    ['en', 'Mr. Hale left. “Stop!” he cried. It rained.', ['Mr. Hale left. ', '“Stop!” he cried. ', 'It rained.']],
    ['zh', '他说：“走吧。”她点头。天黑了！', ['他说：“走吧。”', '她点头。', '天黑了！']],
    ['ja', '「行こう。」と彼は言った。夜だった。', ['「行こう。」と彼は言った。', '夜だった。']],
    ['de', 'Dr. Ott kam, z. B. gestern. Dann nicht mehr.', ['Dr. Ott kam, z. B. gestern. ', 'Dann nicht mehr.']],
  ];
  for (const [language, text, sentences] of cases) assert.deepEqual(splitSentences(text, language), sentences);
});

test('whatever a paragraph holds, its pieces put together are the paragraph', () => {
  const piece = fc.constantFrom(
    'Hello there. ',
    '你好。',
    '“No!” ',
    '<1>',
    '</1>',
    '<2/>',
    'Mr. ',
    '……',
    '\n',
    ' ',
    'a'.repeat(90),
    '👩‍👩‍👧',
    '어서 오세요. ',
    'ですか？',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 20, max: 400 }),
      (pieces, limit) => {
        const text = pieces.join('');
        assert.equal(splitText(text, 'en', limit).join(''), text);
      },
    ),
  );
});

test('long blocks with inline tags are cut into well-formed units and re-joined exactly', () => {
  const sentence = fc.constantFrom(
    'The tide was low. ',
    'She ran <T>very fast</T> home. ',
    'Wait<S/> for me! ',
    '他走了。',
    '<T>A whole sentence in italics. Another one.</T> ',
  );
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 150 }), (sentences) => {
      let number = 0;
      const text = sentences
        .join('')
        .replace(/<T>(.*?)<\/T>|<S\/>/g, (whole, inner) =>
          whole === '<S/>' ? `<${++number}/>` : `<${++number}>${inner}</${number}>`,
        );
      const block = blockOf(text);
      const units = unitsOf(block, 'en');
      for (const unit of units) {
        assert.ok(inlineTagsNest(unit.text), unit.text);
        assert.ok(stripInlineTags(unit.text).length <= maxUnitCharacters + 20);
      }
      assert.equal(
        units.reduce((sum, unit) => sum + unit.characters, 0),
        block.characters,
      );
      assert.equal(
        assembleBlock(
          units,
          units.map((unit) => unit.text),
          'ru',
        ),
        text,
      );
      const translated = assembleBlock(
        units,
        units.map((unit) => unit.text.replaceAll('tide', 'sea')),
        'ru',
      );
      assert.deepEqual(inlineTagsOf(translated), inlineTagsOf(text));
      assert.ok(inlineTagsNest(translated));
    }),
  );
});

test('an italic run across a cut is closed and reopened for the engine only', () => {
  const text = `Before. <1>${'An italic sentence that goes on. '.repeat(60)}</1> After.`;
  const units = unitsOf(blockOf(text), 'en');
  assert.ok(units.length > 1);
  for (const unit of units) assert.ok(inlineTagsNest(unit.text));
  const translated = assembleBlock(
    units,
    units.map((unit) => unit.text.replaceAll('sentence', 'Satz')),
    'de',
  );
  assert.equal(translated, text.replaceAll('sentence', 'Satz'));
});

test('tags and white space around a whole block are not sent', () => {
  const [unit] = unitsOf(blockOf('  <1><2/>Hello <3>you</3></1><4/> '), 'en');
  assert.equal(unit?.text, 'Hello <3>you</3>');
  assert.equal(
    assembleBlock(unit === undefined ? [] : [unit], ['Hallo <3>du</3>'], 'de'),
    '  <1><2/>Hallo <3>du</3></1><4/> ',
  );
});

test('pieces of a translation are joined as the target language writes', () => {
  const units = unitsOf(blockOf('天黑了，他还没有回来。'.repeat(150)), 'zh');
  assert.ok(units.length > 1);
  assert.equal(
    assembleBlock(
      units,
      units.map(() => 'Night fell.'),
      'en',
    ),
    units.map(() => 'Night fell.').join(' '),
  );
  assert.equal(
    assembleBlock(
      units,
      units.map(() => '夜になった。'),
      'ja',
    ),
    units.map(() => '夜になった。').join(''),
  );
});

test('every block with letters is in exactly one segment of its own section, in order', () => {
  const { sections } = makeNovel(120_000);
  const { segments, kept } = planSegments(sections, { language: 'en' });
  const order = segments.flatMap(({ units }) => units.map(({ blockId }) => blockId));
  const wanted = sections.flatMap(({ blocks }) => blocks.map(({ id }) => id));
  assert.deepEqual(
    order,
    wanted.filter((id) => !kept.some(({ blockId }) => blockId === id)),
  );
  assert.ok(kept.length > 0);
  for (const { section, units } of segments) {
    assert.ok(units.length <= 30);
    const own = new Set(sections[section]?.blocks.map(({ id }) => id));
    for (const unit of units) assert.ok(own.has(unit.blockId));
  }
  const sizes = segments.map(({ load }) => load);
  assert.ok(Math.max(...sizes) <= 1_100, `largest ${Math.max(...sizes)}`);
});

test('context comes from the source on both sides, before a chapter from the one before, and never from the next one', () => {
  const { sections } = makeNovel(60_000);
  const { segments } = planSegments(sections, { language: 'en' });
  const textsOf = (section: number): string => sections[section]?.blocks.map(({ text }) => text).join('\n') ?? '';
  for (const { section, index, before, after } of segments) {
    for (const line of after) assert.ok(textsOf(section).includes(line.replace(/…$/, '')), line);
    const upTo = textsOf(section - 1) + textsOf(section);
    for (const line of before) assert.ok(upTo.includes(line.replace(/^…/, '')), line);
    assert.ok(index === 0 || before.length > 0);
    assert.ok(before.join('').length <= 600 && after.join('').length <= 101);
  }
});

test('a preview has the same segments as the full run but for the last one', () => {
  const full = makeNovel(60_000);
  const sections = full.sections.slice(0, 3);
  const key = (segment: Parameters<typeof segmentKey>[0]): string =>
    segmentKey(segment, { enginePolicy: 'x', sourceLang: 'en', targetLang: 'ru', terms: [], brief: {} });
  const whole = planSegments(full.sections, { language: 'en' }).segments.map(key);
  const preview = planSegments(sections, { language: 'en' }).segments.map(key);
  assert.ok(preview.length > 10);
  assert.deepEqual(whole.slice(0, preview.length - 1), preview.slice(0, -1));
});

test('short books are cut finely enough for many calls at once, long ones coarsely', () => {
  const short = planSegments(makeNovel(30_000).sections, { language: 'en' }).segments;
  const long = planSegments(makeNovel(300_000).sections, { language: 'en' }).segments;
  assert.ok(short.length >= 12, `${short.length}`);
  assert.ok(long.length < 150, `${long.length}`);
});

test('the end of a long book is cut finer and finer, so that no slot of an engine is left with a long segment', () => {
  const { segments } = planSegments(makeNovel(600_000).sections, { language: 'en' });
  const loads = segments.map(({ load }) => load);
  const middle = loads.slice(loads.length / 3, loads.length / 2);
  assert.ok(Math.max(...middle) > 1_000, 'full segments in the middle');
  const total = loads.reduce((sum, load) => sum + load, 0);
  let done = 0;
  for (const load of loads) {
    const left = total - done;
    if (left < 12_000) assert.ok(load <= Math.max(300, left / 16), `${load} with ${left} left`);
    done += load;
  }
});

test('a segment key changes with what the translation depends on and with nothing else', () => {
  const { segments } = planSegments([paragraphs(['Alice came home.'])], { language: 'en' });
  const [segment] = segments;
  assert.ok(segment !== undefined);
  const base = {
    enginePolicy: 'x',
    sourceLang: 'en',
    targetLang: 'ru',
    terms: [{ source: 'Alice', target: 'Алиса' }],
    brief: {},
  };
  const key = segmentKey(segment, base);
  assert.equal(segmentKey({ ...segment }, { ...base, terms: [...base.terms] }), key);
  for (const other of [
    { enginePolicy: 'y' },
    { targetLang: 'uk' },
    { brief: { style: 'plain' } },
    { brief: { background: 'a war' } },
    { terms: [{ source: 'Alice', target: 'Элис' }] },
  ]) {
    assert.notEqual(segmentKey(segment, { ...base, ...other }), key);
  }
});
