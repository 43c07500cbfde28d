import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineCapabilities, TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { inlineTagsOf, stripInlineTags } from '../../src/inline-tags.ts';
import { planSegments } from '../../src/translation/plan/segment.ts';
import type { SegmentOutcome } from '../../src/translation/segment-outcome.ts';
import { translateSegment } from '../../src/translation/translate-segment.ts';
import { paragraphs } from './novel.ts';
import { capabilities, noUsage, render } from './scripted-engine.ts';

const texts = [
  'The rain had stopped before morning, and the whole street smelled of wet stone.',
  'Nobody had seen the cart arrive, yet there it stood before the baker’s door.',
  'She counted the barrels twice, wrote the number on her palm, and went inside.',
  'The baker would not say where he had been, nor why his hands were shaking so.',
  'By noon the whole town knew of it, and by evening they had all forgotten again.',
  'Only the dog still sat beside the wheel, waiting for somebody to come back.',
];

type Engine = (request: TranslateRequest, call: number, engineIndex: number) => Partial<TranslateResult> | Error;

async function run(
  engine: Engine,
  options: { texts?: string[]; engines?: EngineCapabilities[] } = {},
): Promise<SegmentOutcome & { requests: TranslateRequest[] }> {
  const { segments } = planSegments([paragraphs(options.texts ?? texts)], { language: 'en' });
  const [segment] = segments;
  assert.ok(segment !== undefined && segments.length === 1);
  const requests: TranslateRequest[] = [];
  const none = new Map();
  const outcome = await translateSegment(
    { ...segment, hints: none, expected: none, roster: [], chapterDigest: '', brief: { core: [] } },
    {
      translate: async (request, { engineIndex }) => {
        requests.push(request);
        const answer = engine(request, requests.length, engineIndex);
        if (answer instanceof Error) throw answer;
        return { translations: new Map(), finish: 'complete', usage: noUsage, ...answer };
      },
      engines: options.engines ?? [capabilities],
      checks: { sourceLang: 'en', targetLang: 'ru' },
      signal: new AbortController().signal,
    },
  );
  return { ...outcome, requests };
}

function good(request: TranslateRequest): Map<string, string> {
  return new Map(request.blocks.map(({ id, text }) => [id, render(text, [])]));
}

const expected = texts.map((text) => render(text, []));

test('a good answer takes one call', async () => {
  const { units, requests } = await run((request) => ({ translations: good(request) }));
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
  assert.equal(requests.length, 1);
});

test('good ids are kept and only the missing ones asked again, with the fault named', async () => {
  const { units, requests } = await run((request, call) => {
    const translations = good(request);
    if (call === 1) for (const id of ['b2', 'b5']) translations.delete(id);
    return { translations };
  });
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
  assert.deepEqual(
    requests.map(({ blocks }) => blocks.map(({ id }) => id)),
    [
      ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'],
      ['b2', 'b5'],
    ],
  );
  assert.match(requests[1]?.fault ?? '', /^Line 1, 2: The translation is missing/);
});

test('a truncated answer is continued, and its last paragraph is not trusted', async () => {
  const { units, requests } = await run((request, call) => {
    const translations = good(request);
    if (call > 1) return { translations };
    for (const id of ['b4', 'b5', 'b6']) translations.delete(id);
    translations.set('b3', (translations.get('b3') ?? '').slice(0, 30));
    return { translations, finish: 'truncated' };
  });
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
  assert.deepEqual(
    requests[1]?.blocks.map(({ id }) => id),
    ['b3', 'b4', 'b5', 'b6'],
  );
});

test('an unreadable answer is split until it is readable', async () => {
  const { units, repairs } = await run((request) =>
    request.blocks.length > 2 ? new EngineError('malformed', 'not JSON') : { translations: good(request) },
  );
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
  assert.ok(repairs.calls <= 7, `${repairs.calls} calls`);
});

test('one refused paragraph costs itself only and is blocked by policy', async () => {
  const { units } = await run((request) => {
    const refused = request.blocks.some(({ text }) => text.includes('shaking'));
    return refused ? { finish: 'refused' } : { translations: good(request) };
  });
  assert.deepEqual(
    units.map(({ text }) => text),
    expected.with(3, texts[3] ?? ''),
  );
  assert.deepEqual(
    units.map(({ failure }) => failure),
    [undefined, undefined, undefined, 'policy_blocked', undefined, undefined],
  );
});

test('what the first engine cannot do the second one does', async () => {
  const { units, repairs } = await run(
    (request, _call, engineIndex) => {
      const translations = good(request);
      if (engineIndex === 0)
        for (const { id, text } of request.blocks) if (text.includes('dog')) translations.set(id, text);
      return { translations };
    },
    { engines: [capabilities, capabilities] },
  );
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
  assert.equal(repairs.otherEngine, 1);
});

test('an engine that cannot be reached is reported, and what others did is kept', async () => {
  const { units, unavailable } = await run((request, call) => {
    if (call > 1) return new EngineError('overloaded', 'down');
    const translations = good(request);
    translations.delete('b6');
    return { translations };
  });
  assert.deepEqual(
    units.map(({ failure }) => failure),
    [undefined, undefined, undefined, undefined, undefined, 'engine_unavailable'],
  );
  assert.equal(unavailable?.kind, 'overloaded');
});

test('an attempt that fixes nothing never replaces an older one, and a soft fault is not asked for without end', async () => {
  const long = render(texts.slice(1).join(' '), []);
  const { units, requests } = await run((request, call) => {
    const translations = good(request);
    if (translations.has('b1'))
      translations.set('b1', call === 1 ? `${expected[0]} ${long}` : `${long} И ещё немного.`);
    return { translations };
  });
  assert.equal(units[0]?.text, `${expected[0]} ${long}`);
  assert.deepEqual(units[0]?.faults, ['length']);
  assert.ok(requests.length <= 3, `${requests.length}`);
});

test('broken tags are asked for once, then put back by us without losing a word', async () => {
  const tagged = ['She <1>really</1> wanted to see the <2>Silver Gull</2> again<3/>, whatever it would cost her.'];
  const { units, requests, repairs } = await run(
    (request) => ({
      translations: new Map(request.blocks.map(({ id, text }) => [id, render(stripInlineTags(text), [])])),
    }),
    { texts: tagged },
  );
  assert.deepEqual(inlineTagsOf(units[0]?.text ?? ''), inlineTagsOf(tagged[0] ?? ''));
  assert.equal(stripInlineTags(units[0]?.text ?? ''), render(stripInlineTags(tagged[0] ?? ''), []));
  assert.equal(requests.length, 2);
  assert.equal(repairs.tagsProjected, 1);
});

test('an engine that keeps no tags gets clean text and the tags come back', async () => {
  const tagged = ['He <1>never</1> came back to the house by the river, and nobody asked for him.'];
  const { units, requests } = await run((request) => ({ translations: good(request) }), {
    texts: tagged,
    engines: [{ ...capabilities, keepsInlineTags: false, followsInstructions: false }],
  });
  assert.equal(requests.length, 1);
  assert.equal(requests[0]?.blocks[0]?.text, stripInlineTags(tagged[0] ?? ''));
  assert.deepEqual(inlineTagsOf(units[0]?.text ?? ''), ['</1>', '<1>']);
});

test('a paragraph that fails whole is taken sentence by sentence', async () => {
  const text =
    'The first sentence is here. The second one comes after it. A third one closes the paragraph. And one more for good measure, so that it is long.';
  const { units, repairs } = await run(
    (request) => {
      const [block] = request.blocks;
      return request.blocks.length === 1 && block !== undefined && block.text === text
        ? { translations: new Map([[block.id, 'Да.']]) }
        : { translations: good(request) };
    },
    { texts: [text] },
  );
  assert.equal(units[0]?.failure, undefined);
  assert.equal(repairs.sentences, 1);
  assert.equal(units[0]?.text, render(text, []));
});

test('an engine that fails for good keeps the source within a bounded number of calls', async () => {
  const { units, requests } = await run((request) => ({
    translations: new Map(request.blocks.map(({ id, text }) => [id, text])),
  }));
  assert.deepEqual(
    units.map(({ text, failure }) => [text, failure]),
    texts.map((text) => [text, 'failed_checks']),
  );
  assert.ok(requests.length <= 30, `${requests.length}`);
});

test('control characters of an engine never reach a book', async () => {
  const { units } = await run((request) => ({
    translations: new Map([...good(request)].map(([id, text]) => [id, `\0${text}\u0001\u001b`])),
  }));
  assert.deepEqual(
    units.map(({ text }) => text),
    expected,
  );
});
