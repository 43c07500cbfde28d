/**
 * What a novel costs in prompts when the provider keeps the front of a prompt in its cache. A fake cache is asked as providers do it: the
 * longest front that an earlier call had, from 1,024 tokens on. Size: characters of the novel.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { stripInlineTags } from '../../src/inline-tags.ts';
import { proofRun } from '../support/proof.ts';
import { startSimulatedEngineApp } from '../support/simulated-engine-app.ts';
import { countTokens } from '../support/simulated-llm/tokens.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { cast, makeNovel } from '../translation/novel.ts';

const { size: characters } = proofRun({ short: 60_000, long: 700_000 });
/** Money for a million tokens: input, input from the cache, output. */
const prices = { input: 1, cached: 0.1, output: 5 };
const leastCachedTokens = 1_024;

/** As long as a model makes it: some 700 tokens. */
const sheet = {
  narrator: 'third person, close to whoever the chapter follows, ironic and patient; no comments to the reader',
  tense: 'Präteritum; Plusquamperfekt for what lay before; no historic present',
  register: 'elevated narration of the late 19th century, plain in dialogue; no modern colloquialisms, no anglicisms',
  spelling: 'German of Germany, reformed spelling, speech in „…“, thoughts without marks',
  address: cast.slice(0, 12).map(({ full }, i) => ({
    from: full,
    to: cast[i + 1]?.full ?? 'everybody else',
    form: i % 2 === 0 ? 'Sie with the surname, from the fire on du' : 'du since childhood',
  })),
  honorifics: 'Mr and Mrs become Herr and Frau with the surname; Sir and Lady stay',
  titles: 'ranks of the navy are translated; the Harbourmaster is der Hafenmeister, always with article',
  units: 'miles and feet become Meilen and Fuß; money stays in crowns',
  idioms: 'German idioms of the same force; proverbs of the fishermen may be invented but sound old',
  thoughts: 'free indirect speech in the indicative, without quotation marks',
  letters: 'Du, Dein and Sie with capitals, date and place on their own line as in the source',
  verse: 'four beats and rhyme where it can be had, sense before rhyme',
  sounds: 'German verbs of sound, no transcribed noises',
  voices: cast.slice(0, 12).map(({ full }) => ({
    name: full,
    voice: 'short sentences, dry, never finishes a complaint; uses nautical words also on land',
  })),
};

test(`most of the tokens of the prompts of a novel of ${characters} characters come from the cache`, async (context) => {
  const { app, servers } = await startSimulatedEngineApp({
    names: cast.map(({ full, first, last, gender }) => ({
      source: full,
      gender: gender === 'male' ? 'm' : 'f',
      aliases: [first, last],
    })),
    sheet: JSON.stringify(sheet),
  });
  const text = makeNovel(characters)
    .sections.flatMap((section) => section.blocks.map((block) => stripInlineTags(block.text)))
    .join('\n\n');
  const { key } = await app.account({ credits: 10_000_000 });
  const order = { action: 'translation', source_lang: 'en', target_lang: 'de', estimated_chars: characters * 2 };
  const created = await create(app, key, order, { file: { content: text } });
  assert.equal(created.status, 201, created.text);
  assert.equal((await untilEnded(app, key, created.body.data.task_id)).status, 'completed');

  const bill = { calls: 0, input: 0, cached: 0, output: 0 };
  for (const call of servers[0]?.log.calls ?? []) {
    const front = countTokens(`${call.instructions}${call.data}`.slice(0, call.repeatedCharacters));
    bill.calls += 1;
    bill.input += call.inputTokens;
    bill.cached += front >= leastCachedTokens ? front : 0;
    bill.output += call.outputTokens;
  }
  const moneyOf = (cached: number): number =>
    ((bill.input - cached) * prices.input + cached * prices.cached + bill.output * prices.output) / 1e6;
  const figures = {
    ...bill,
    cachedShare: bill.cached / bill.input,
    money: moneyOf(bill.cached),
    moneyWithoutCache: moneyOf(0),
    moneyOfInput: (bill.input - bill.cached * (1 - prices.cached)) / 1e6,
  };
  context.diagnostic(JSON.stringify(figures));
  assert.ok(figures.cachedShare >= 0.6, JSON.stringify(figures));
});
