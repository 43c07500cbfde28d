import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { parseGlossary } from '../../src/glossary/glossary.ts';
import { BookTranslationError } from '../../src/translation/book-translation-error.ts';
import { shortCoverage } from '../../src/translation/report.ts';
import { type BookResult, translateBook } from '../../src/translation/translate-book.ts';
import { type Answer, bookInput, good } from './book-input.ts';
import { memoryOf } from './book-memory.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { documentOf, makeNovel, paragraphs } from './novel.ts';
import { capabilities, noUsage } from './scripted-engine.ts';

function hash(result: BookResult): string {
  return createHash('sha256')
    .update(JSON.stringify([...result.texts, result.report]))
    .digest('hex');
}

test('a name an engine will not use is reported where it is missing', async () => {
  const document = documentOf([
    paragraphs(['Alice came home before the storm.', 'Nobody saw Alice leave again.', 'The house was empty now.']),
  ]);
  const result = await translateBook(
    bookInput(document, (request) => good({ ...request, terms: [] }), { glossary: parseGlossary({ Alice: 'Марфа' }) }),
  );
  assert.deepEqual(result.report.consistency.terms[0]?.missed_in, ['b1', 'b2']);
  assert.equal(result.report.consistency.score, 0);
  assert.deepEqual(
    result.report.warnings.map(({ code, count }) => [code, count]),
    [['TERM_NOT_APPLIED', 2]],
  );
});

test('half of a term beside its rendering is taken out, or reported where that is not certain, whatever the engine', async () => {
  const answers: Record<string, string> = {
    'El barco salió de Puerto Calmo al amanecer.': 'The boat left Puerto Calm Harbour at dawn.',
    'Nadie en Puerto Calmo lo vio.': 'Nobody in Puerto de Calm Harbour saw it.',
    'Volvió a Puerto Calmo de noche.': 'It came back to Calm Harbour at night.',
    'Puerto Calmo dormía.': 'Calm Puerto Harbour slept.',
  };
  const document = documentOf([paragraphs(Object.keys(answers))]);
  for (const followsInstructions of [true, false]) {
    const answer: Answer = ({ blocks }) => ({
      translations: new Map(blocks.map(({ id, text }) => [id, answers[text] ?? ''])),
      finish: 'complete',
      usage: noUsage,
    });
    const engine = { ...capabilities, followsInstructions };
    const { texts, report } = await translateBook(
      bookInput(document, undefined, {
        sourceLang: 'es',
        targetLang: 'en',
        glossary: parseGlossary({ 'Puerto Calmo': 'Calm Harbour' }),
        engines: { translate: async (request) => answer(request), capabilities: [engine], policy: 'test' },
      }),
    );
    assert.deepEqual(
      ['b1', 'b2', 'b3'].map((id) => texts.get(id)),
      [
        'The boat left Calm Harbour at dawn.',
        'Nobody in Calm Harbour saw it.',
        'It came back to Calm Harbour at night.',
      ],
    );
    assert.deepEqual(report.consistency.terms[0]?.missed_in, ['b4']);
    assert.equal(report.consistency.terms[0]?.applied, 3);
  }
});

test('a draft heading that loses its words is asked for again, then kept and not charged', async () => {
  const story = Array.from({ length: 40 }, (_, i) => `La lettre numéro ${i + 10} resta sur la table jusqu'au soir.`);
  const document = documentOf([paragraphs(['IX Le soir des fiançailles', ...story])]);
  const heading = document.sections[0]?.blocks[0];
  assert.ok(heading !== undefined);
  heading.kind = 'heading';
  let asked = 0;
  const { texts, report } = await translateBook(
    bookInput(
      document,
      ({ blocks }) => {
        if (blocks.some(({ id }) => id === 'b1')) asked++;
        const translations = new Map(
          blocks.map(({ id, text }) => [
            id,
            id === 'b1' ? 'CHAPTER IX.' : `Letter number ${/\d+/.exec(text)?.[0]} lay on the table until the evening.`,
          ]),
        );
        return { translations, finish: 'complete', usage: noUsage };
      },
      { sourceLang: 'fr', targetLang: 'en' },
    ),
  );
  assert.ok(asked > 1, String(asked));
  assert.equal(texts.get('b1') ?? heading.text, heading.text);
  assert.deepEqual(
    report.coverage.locations.map(({ block_id }) => block_id),
    ['b1'],
  );
  assert.equal(report.coverage.failed, heading.characters);
});

test('with frozen terms the result does not depend on concurrency', async () => {
  const document = makeNovel(40_000);
  const alone = hash(await translateBook(bookInput(document, good, { concurrency: 1 })));
  assert.equal(hash(await translateBook(bookInput(document, good, { concurrency: 16 }))), alone);
});

test('a finished run asks for nothing when it is run again', async () => {
  const checkpoint = new MemoryCheckpoint();
  const document = makeNovel(20_000);
  const first = await translateBook(bookInput(document, good, { checkpoint }));
  const again = await translateBook(
    bookInput(
      document,
      () => {
        throw new Error('asked again');
      },
      { checkpoint },
    ),
  );
  assert.equal(hash(again), hash(first));
});

test('progress never falls and ends at the whole', async () => {
  const seen: [number, number][] = [];
  const stages: string[] = [];
  await translateBook(
    bookInput(makeNovel(30_000), good, {
      onProgress: (done, total) => seen.push([done, total]),
      onStage: (stage) => stages.push(stage),
    }),
  );
  assert.ok(seen.length > 10);
  for (const [i, [done, total]] of seen.entries()) assert.ok(done <= total && done > (seen[i - 1]?.[0] ?? 0));
  assert.equal(seen.at(-1)?.[0], seen.at(-1)?.[1]);
  assert.deepEqual(stages, ['preparing', 'translating', 'finalizing']);
});

test('passages that cannot be translated stay in the source language, are listed and not charged', async () => {
  const document = makeNovel(60_000);
  const { sections } = document;
  const blocked = sections[1]?.blocks.find(({ text }) => text.length > 200);
  assert.ok(blocked !== undefined);
  const checkpoint = new MemoryCheckpoint();
  const result = await translateBook(
    bookInput(
      document,
      (request) =>
        request.blocks.some(({ text }) => text === blocked.text || blocked.text.startsWith(text))
          ? { translations: new Map(), finish: 'refused', usage: noUsage }
          : good(request),
      { checkpoint },
    ),
  );
  assert.equal(result.texts.get(blocked.id), blocked.text);
  // What a task that is cancelled now would be charged.
  const saved = (await checkpoint.load()).reduce(
    (sum, record) => sum + (record.kind === 'segment' ? record.characters : 0),
    0,
  );
  assert.equal(saved, result.report.coverage.translated);
  assert.equal(result.report.delivered_characters, document.characters - blocked.characters);
  assert.deepEqual(result.report.coverage.locations[0], {
    section: 2,
    section_title: 'Chapter 2',
    block_id: blocked.id,
    characters: blocked.characters,
    reason: 'policy_blocked',
  });
  assert.equal(result.report.warnings[0]?.code, 'PASSAGES_REFUSED');
});

test('white space and separators of plain text are delivered', async () => {
  const document = {
    ...documentOf([paragraphs(['The first line of the story.', '* * *', 'The last line of the story.'])]),
    format: 'txt' as const,
  };
  document.characters += 6;
  const { report } = await translateBook(bookInput(document));
  assert.deepEqual(shortCoverage(report), { total: 66, translated: 55, reused: 0, kept: 11, failed: 0 });
  assert.deepEqual(report.coverage.by_reason, { between_blocks: 6, no_letters: 5 });
  assert.equal(report.delivered_characters, 66);
});

test('above five percent of failed characters the book fails for good', async () => {
  const echo: Answer = (request) =>
    request.blocks.some(({ text }) => text.length % 4 === 0)
      ? { translations: new Map(request.blocks.map(({ id, text }) => [id, text])), finish: 'complete', usage: noUsage }
      : good(request);
  await assert.rejects(
    translateBook(bookInput(makeNovel(20_000), echo)),
    (error) => error instanceof BookTranslationError && error.code === 'TOO_MUCH_FAILED' && !error.retryable,
  );
});

test('an outage stops the run, keeps what was done, and the next run goes on', async () => {
  const checkpoint = new MemoryCheckpoint();
  const document = makeNovel(60_000);
  let calls = 0;
  const dies: Answer = (request) => {
    if (++calls > 12) throw new EngineError('overloaded', 'down', { retryAfterMs: 30_000 });
    return good(request);
  };
  await assert.rejects(
    translateBook(bookInput(document, dies, { checkpoint })),
    (error) => error instanceof BookTranslationError && error.retryable && error.retryAfterMs === 30_000,
  );
  assert.ok(calls < 40, `${calls}: an outage is noticed early`);
  const done = checkpoint.records.size;
  assert.ok(done >= 12);
  let more = 0;
  const result = await translateBook(
    bookInput(
      document,
      (request) => {
        more++;
        return good(request);
      },
      { checkpoint },
    ),
  );
  assert.equal(result.report.coverage.failed, 0);
  const undisturbed = new MemoryCheckpoint();
  await translateBook(bookInput(document, good, { checkpoint: undisturbed }));
  assert.equal(more, undisturbed.records.size - done);
});

test('a spent budget is no fault of the text: the task waits until an operator acts', async () => {
  await assert.rejects(
    translateBook(
      bookInput(makeNovel(5_000), () => {
        throw new EngineError('spend-limit', 'over');
      }),
    ),
    (error) => error instanceof BookTranslationError && error.retryable && (error.retryAfterMs ?? 0) >= 60_000,
  );
});

test('a single hiccup is tried again at the end of the run', async () => {
  let hiccups = 0;
  const result = await translateBook(
    bookInput(makeNovel(20_000), (request) => {
      if (hiccups < 3) {
        hiccups++;
        throw new EngineError('timeout', 'slow');
      }
      return good(request);
    }),
  );
  assert.equal(result.report.coverage.failed, 0);
});

test('nothing is committed before the plan is told', async () => {
  let isTold = false;
  let committed = 0;
  const checkpoint = new MemoryCheckpoint();
  const save = checkpoint.save.bind(checkpoint);
  checkpoint.save = async (record) => {
    if (record.kind === 'segment') {
      assert.ok(isTold, 'committed before the plan was told');
      committed++;
    }
    await save(record);
  };
  const document = makeNovel(20_000);
  const onPlan = async (): Promise<void> => {
    isTold = true;
  };
  await translateBook(bookInput(document, good, { checkpoint, onPlan }));
  assert.ok(committed > 5, `${committed}`);
  const failing = bookInput(document, good, { onPlan: async () => Promise.reject(new Error('not saved')) });
  await assert.rejects(translateBook(failing), /not saved/, 'a plan that cannot be saved ends the run');
});

test('a full run takes over the preview word for word', async () => {
  const full = makeNovel(40_000);
  const preview = documentOf(full.sections.slice(0, 2));
  const checkpoint = new MemoryCheckpoint();
  const style = (request: TranslateRequest): TranslateResult => {
    const { translations } = good(request);
    return {
      translations: new Map([...translations].map(([id, text]) => [id, `${text} Вот.`])),
      finish: 'complete',
      usage: noUsage,
    };
  };
  const first = await translateBook(bookInput(preview, style, { checkpoint }));
  const memory = memoryOf(first);
  const whole = await translateBook(bookInput(full, good, { memory }));
  const sameBlocks = [...first.texts].filter(([id, text]) => whole.texts.get(id) === text).length;
  assert.equal(sameBlocks, first.texts.size);
  assert.ok((whole.report.repairs.passages_reused ?? 0) >= first.memories.length, 'what is repeated later, too');
  assert.equal(whole.report.coverage.reused, 0, 'outside of a series what is remembered is charged all the same');
});

test('an engine that answers only short requests is found out by one passage, however many wait', async () => {
  const document = makeNovel(60_000);
  let calls = 0;
  const short: Answer = async (request) => {
    calls++;
    // Answers come one after another, as from a real engine.
    await new Promise((resolve) => setImmediate(resolve));
    if (request.blocks.length > 2) throw new EngineError('malformed', 'unreadable as asked');
    return good(request);
  };
  const { report } = await translateBook(bookInput(document, short, { concurrency: 16 }));
  assert.equal(shortCoverage(report).failed, 0);
  assert.ok(calls > 40, `${calls} calls`);
});
