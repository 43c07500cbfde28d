/**
 * Forty characters keep their names through a whole novel, and fifty crashes change nothing of what comes out. Size: characters.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseGlossary } from '../../src/glossary/glossary.ts';
import type { BookInput } from '../../src/translation/book.ts';
import { shortCoverage } from '../../src/translation/report.ts';
import { type BookResult, translateBook } from '../../src/translation/translate-book.ts';
import { proofRun } from '../support/proof.ts';
import { type Answer, bookInput, good } from '../translation/book-input.ts';
import { MemoryCheckpoint } from '../translation/memory-checkpoint.ts';
import { cast, makeNovel, random } from '../translation/novel.ts';
import { capabilities, createWilfulEngine } from '../translation/scripted-engine.ts';

const { size: characters } = proofRun({ short: 300_000, long: 1_000_000 });

function hash(result: BookResult): string {
  return createHash('sha256')
    .update(JSON.stringify([...result.texts, result.report]))
    .digest('hex');
}

test('forty characters keep their names through a whole novel, and the report is right about it', async () => {
  const document = makeNovel(characters);
  const engine = createWilfulEngine(11);
  const next = random(5);
  let told = 0;
  const result = await translateBook(
    bookInput(document, undefined, {
      strategy: 'merge',
      glossary: parseGlossary({ Alaric: 'Аларих', Varrowmouth: 'Варроумут' }),
      engines: {
        // Now and then it ignores what it is told, unless the fault is named.
        translate: async (request) => {
          const ignores = request.fault === undefined && next() < 0.1;
          if (ignores) told++;
          return engine.translate(ignores ? { ...request, terms: request.terms.slice(1) } : request);
        },
        extractTerms: engine.extractTerms,
        capabilities: [capabilities],
        policy: 'test',
      },
    }),
  );
  assert.ok(told > 5);
  const rendering = new Map(result.terms.map(({ source, target }) => [source, target]));
  assert.equal(rendering.get('Alaric'), 'Аларих');
  assert.equal(rendering.get('Alaric Ashdown'), `Аларих ${rendering.get('Ashdown')}`);
  const renderings = [...rendering.values()].toSorted((one, other) => other.length - one.length);
  let mentions = 0;
  for (const { id, text } of document.sections.flatMap(({ blocks }) => blocks)) {
    const translation = result.texts.get(id) ?? '';
    // A variant of a name always carries a hard sign: there is none but where the glossary has it.
    const rest = renderings.reduce((left, name) => left.replaceAll(name, ''), translation);
    assert.ok(!rest.includes('ъ'), `${text}\n${translation}`);
    for (const { first, last, full } of cast) {
      for (const name of [first, last, full]) {
        if (!new RegExp(`\\b${name}\\b`).test(text)) continue;
        mentions++;
        assert.ok(translation.includes(rendering.get(name) ?? '?'), `${name} in ${id}: ${translation}`);
      }
    }
  }
  assert.ok(mentions > characters / 150);
  assert.equal(result.report.consistency.score, 1);
  assert.ok((result.report.repairs.paragraphs_revised_for_terms ?? 0) > 5);
  for (const { first, last, full, gender } of cast) {
    const long = result.terms.find(({ source }) => source === full);
    assert.equal(long?.gender, gender);
    assert.ok(long?.aliases.includes(first) && long.aliases.includes(last), full);
    assert.ok(
      long?.target.includes(rendering.get(first) ?? '?') && long.target.includes(rendering.get(last) ?? '?'),
      long?.target,
    );
  }
  const { total, translated, kept, failed } = shortCoverage(result.report);
  assert.equal(total, translated + kept + failed);
  assert.equal(total, document.characters);
  assert.equal(failed, 0);
});

test('the result does not depend on order or fifty crashes, and a crash repeats only what was in flight', async () => {
  const document = makeNovel(60_000);
  let calls = 0;
  const faulty: Answer = async (request) => {
    calls++;
    // Answers come in an order of their own.
    for (let i = request.blocks[0]?.text.length ?? 0; i > 0; i -= 40) await Promise.resolve();
    const result = good(request);
    const translations = new Map(result.translations);
    const [first] = request.blocks;
    if (request.fault === undefined && first !== undefined && first.text.length % 3 === 0)
      translations.delete(first.id);
    return { ...result, translations };
  };
  const input = (checkpoint: MemoryCheckpoint, concurrency: number): BookInput =>
    bookInput(document, faulty, {
      strategy: 'merge',
      checkpoint,
      concurrency,
      engines: {
        translate: async (request) => faulty(request),
        // Steady votes: the same chunk is read the same way in every run.
        extractTerms: (request) => createWilfulEngine(request.text.length).extractTerms(request),
        capabilities: [capabilities],
        policy: 'test',
      },
    });
  const undisturbed = new MemoryCheckpoint();
  const wanted = hash(await translateBook(input(undisturbed, 8)));
  const undisturbedCalls = calls;
  assert.equal(hash(await translateBook(input(new MemoryCheckpoint(), 8))), wanted);

  calls = 0;
  const checkpoint = new MemoryCheckpoint();
  const next = random(9);
  let crashes = 0;
  let result: BookResult | undefined;
  while (result === undefined) {
    let saves = 0;
    const crashAt = crashes < 50 ? 1 + Math.floor(next() * 2) : Number.POSITIVE_INFINITY;
    checkpoint.beforeSave = () => {
      if (++saves >= crashAt) throw new Error('crash');
    };
    try {
      result = await translateBook(input(checkpoint, 8));
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'crash') throw error;
      crashes++;
    }
  }
  assert.ok(crashes >= 20, `${crashes}`);
  assert.equal(hash(result), wanted);
  // Each crash loses at most the eight calls in flight, with at most one repair each.
  assert.ok(
    calls <= undisturbedCalls + crashes * 16,
    `${calls} calls, ${undisturbedCalls} undisturbed, ${crashes} crashes`,
  );
});
