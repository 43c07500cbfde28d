import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import { inlineTagsNest, inlineTagsOf } from '../../src/inline-tags.ts';

/** What every engine promises, whatever stands behind it. */
export function describeEngine(title: string, open: () => Promise<{ engine: Engine; close(): Promise<void> }>): void {
  describe(`${title} keeps the promises of an engine`, () => {
    let engine: Engine;
    let close: () => Promise<void>;
    before(async () => {
      ({ engine, close } = await open());
    });
    after(() => close());

    const request = (changes: Partial<TranslateRequest> = {}): TranslateRequest => ({
      sourceLang: 'zh-Hans',
      targetLang: 'en',
      blocks: [
        { id: 'intro', text: '　　<1>李</1>明华推开门，<2>雨</2>还在下。<3/>' },
        { id: 'b-17', text: '“你来了。”他说，\n“坐。”' },
        { id: 'x', text: '青云山上有300级台阶。' },
      ],
      terms: [
        { source: '李明华', target: 'Li Minghua', type: 'person', gender: 'male' },
        { source: '青云山', target: 'Mount Qingyun', type: 'place' },
      ],
      roster: [{ source: '李明华', target: 'Li Minghua', gender: 'male' }],
      context: { before: ['昨夜无月。'], after: ['他走了。'], chapterDigest: 'Rain.' },
      brief: { style: 'Plain and quiet.', synopsis: 'A long walk home.', core: [] },
      ...changes,
    });
    const signal = (): AbortSignal => AbortSignal.timeout(10_000);

    test('every block is answered under its own id and no other', async () => {
      const result = await engine.translate(request(), signal());
      assert.deepEqual([...result.translations.keys()], ['intro', 'b-17', 'x']);
      assert.equal(result.finish, 'complete');
    });

    test('inline tags, line breaks and numbers survive', async () => {
      const { translations } = await engine.translate(request(), signal());
      const intro = translations.get('intro') ?? '';
      assert.deepEqual(inlineTagsOf(intro), ['</1>', '</2>', '<1>', '<2>', '<3/>']);
      assert.ok(inlineTagsNest(intro));
      assert.equal(translations.get('b-17')?.split('\n').length, 2);
      assert.match(translations.get('x') ?? '', /300/);
    });

    test('terms are applied, also where a tag cuts through one', async () => {
      const { translations } = await engine.translate(request(), signal());
      assert.match((translations.get('intro') ?? '').replace(/<\/?\d+\/?>/g, ''), /Li Minghua/);
      assert.match(translations.get('x') ?? '', /Mount Qingyun/);
    });

    test('the answer is in the script of the target and leaves no source script behind', async () => {
      for (const [targetLang, script] of [
        ['en', /\p{Script=Latin}/u],
        ['ru', /\p{Script=Cyrillic}/u],
        ['ar', /\p{Script=Arabic}/u],
        ['th', /\p{Script=Thai}/u],
      ] as const) {
        const { translations } = await engine.translate(request({ targetLang, terms: [] }), signal());
        for (const text of translations.values()) {
          assert.match(text, script);
          assert.doesNotMatch(text, /\p{Script=Han}/u);
        }
      }
    });

    test('a passage with marks, quotes and braces comes back whole', async () => {
      const text = 'He said: "{\\"t\\":[\\"1 no\\"]}" — $& \\ and ```left```.';
      const { translations } = await engine.translate(
        request({
          sourceLang: 'en',
          targetLang: 'fr',
          blocks: [
            { id: 'q', text },
            { id: 'r', text: 'Yes.' },
          ],
          terms: [],
        }),
        signal(),
      );
      assert.equal(translations.size, 2);
    });

    test('usage is counted', async () => {
      const { usage } = await engine.translate(request(), signal());
      assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0 && usage.cachedInputTokens >= 0);
    });

    test('terms are found in the text and known ones are not repeated', async () => {
      const result = await engine.extractTerms?.(
        {
          sourceLang: 'zh-Hans',
          targetLang: 'en',
          text: '李明华走上青云山。明华很累。\n小红在等他。',
          candidates: ['李明华', '明华', '青云山', '小红', '龙王'],
          known: [{ source: '小红', target: 'Xiao Hong' }],
        },
        signal(),
      );
      assert.deepEqual(result?.terms.map((term) => term.source).sort(), ['李明华', '明华', '青云山'].sort());
      for (const term of result?.terms ?? []) assert.match(term.target, /^\p{Lu}/u);
      assert.ok((result?.digest.length ?? 0) <= 200);
    });

    test('an aborted call ends at once with the reason of the caller', async () => {
      const reason = new Error('the task was cancelled');
      await assert.rejects(engine.translate(request(), AbortSignal.abort(reason)), reason);
    });
  });
}
