/** The models themselves, in their own processes: what a paragraph becomes is a matter of the paragraph. */
import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { createBuiltInEngine } from '../../src/engines/built-in/built-in-engine.ts';
import type { TextBlock } from '../../src/engines/engine.ts';

const engine = createBuiltInEngine({ kind: 'built-in', name: 'drafts', beam: 1, threads: 2, experimental: false });
after(() => engine.close?.());

async function translate(pair: readonly [string, string], blocks: readonly TextBlock[], names: readonly string[]) {
  const { translations } = await engine.translate(
    {
      sourceLang: pair[0],
      targetLang: pair[1],
      blocks,
      terms: names.map((name) => ({ source: name, target: name })),
      roster: [],
      context: { before: [], after: [] },
    },
    AbortSignal.timeout(240_000),
  );
  return blocks.map(({ id }) => translations.get(id));
}

const books = [
  {
    pair: ['fr', 'en'],
    names: ['Camille', 'Antoine'],
    texts: [
      'Il avait plu toute la nuit, et l’eau de la rivière montait jusqu’aux marches du moulin.',
      '— Il y a quelqu’un ? demanda Camille. Personne ne répondit.',
      'Elle posa la lampe sur la table et ouvrit la lettre de son frère Antoine, qui était parti depuis trois ans.',
      'Le vieux chien dormait devant la porte.',
      'Sous la roue, sous la pierre',
      'On n’entendait que le vent ; puis, au loin, la cloche de l’église sonna deux fois, et Camille comprit.',
    ],
  },
  {
    pair: ['en', 'es'],
    names: ['Hannah', 'Tom'],
    texts: [
      'The rain had fallen all night, and the water of the river stood at the steps of the mill.',
      '“Is anybody there?” asked Hannah. Nobody answered.',
      'She set the lamp on the table and opened the letter of her brother Tom, who had been gone for three years.',
      'The old dog was asleep before the door.',
      'Under the wheel, under the stone',
      'There was nothing but the wind; then, far away, the bell of the church struck twice, and Hannah understood.',
    ],
  },
] as const;

for (const { pair, names, texts } of books) {
  test(`from ${pair.join(' into ')}, a paragraph becomes the same alone, with others and in another order`, async () => {
    const blocks = texts.map((text, i) => ({ id: `b${i}`, text, terms: names.filter((name) => text.includes(name)) }));
    const together = await translate(pair, blocks, names);
    assert.ok(together.every((text) => text !== undefined && text !== ''));
    const reversed = await translate(pair, blocks.toReversed(), names);
    assert.deepEqual(reversed.toReversed(), together);
    for (const [i, block] of blocks.entries())
      assert.deepEqual(await translate(pair, [block], names), [together[i]], block.text);
    for (const name of names) assert.ok(together.some((text) => text?.includes(name)));
  });
}
