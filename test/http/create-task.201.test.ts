import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sampleEpub3 } from '../documents/sample-books.ts';
import { create, creditsOf, run, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story, texts } from '../support/texts.ts';

const app = await startTestApp();
/** Without a worker, for what the answer of the create call tells. */
const api = await startTestApp({ role: 'api' });
const epub = sampleEpub3() as Uint8Array<ArrayBuffer>;
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const text = 'The lamp on the quay was out. Corwin lit it again. Nobody thanked him.';

/** The specification's fields of the create answer, by action; `partner_metadata` comes on top of every one. */
const specified = {
  translation: 'task_id status action file_name source_lang target_lang char_count estimated_credits created_at',
  preview_translation:
    'task_id status action file_name source_lang target_lang char_count estimated_credits created_at',
  token_estimate: 'task_id status action file_name target_lang char_count estimated_credits created_at',
  glossary_extraction: 'task_id action status progress terms char_count credits_charged detected_language',
  preview_metadata: 'task_id action status progress source_lang char_count detected_language metadata',
};
const inline = ['glossary_extraction', 'preview_metadata'];

for (const [action, fields] of Object.entries(specified)) {
  test(`${action} answers with exactly its fields, from text and from a file, in every content type`, async () => {
    // A worker does what the create call waits for.
    const service = inline.includes(action) ? app : api;
    const { key } = await service.account({ credits: 100_000 });
    const common = { action, target_lang: 'de', char_limit: 60 };
    const answers = await Promise.all([
      create(service, key, { ...common, text }),
      create(service, key, { ...common, text }, { as: 'urlencoded' }),
      create(service, key, { ...common, text }, { as: 'multipart' }),
      create(service, key, common, { file: { content: text } }),
      create(service, key, common, { file: { content: text, partName: 'manuscript', fileName: 'My Novel.txt' } }),
      create(service, key, common, { file: { content: epub, fileName: 'lamp.epub' } }),
    ]);
    for (const { status, body, text: answer } of answers) {
      assert.equal(status, 201, answer);
      assert.deepEqual(Object.keys(body.data).sort(), [...fields.split(' '), 'partner_metadata'].sort(), answer);
      assert.match(body.data.task_id, /^task_[0-9a-z]{26}$/);
      assert.equal(body.data.action, action);
      assert.equal(body.data.status, inline.includes(action) ? 'completed' : 'pending');
      assert.equal(body.data.char_count, 60);
      if (inline.includes(action)) assert.equal(body.data.progress, 1);
      else {
        assert.match(body.data.created_at, isoUtc);
        assert.equal(body.data.estimated_credits, 60);
        assert.equal(body.data.target_lang, 'de');
      }
      if (action === 'translation') assert.equal(body.data.source_lang, 'auto');
    }
    if (!inline.includes(action)) {
      const names = answers.map(({ body }) => body.data.file_name);
      assert.deepEqual(names, ['text.txt', 'text.txt', 'text.txt', 'novel.txt', 'My Novel.txt', 'lamp.epub']);
    }
  });
}

test('glossary_extraction brings its terms and preview_metadata its metadata inline', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const named =
    'Corwin met Brenna in Varrowmouth. Brenna smiled at Corwin. Corwin left Varrowmouth with Brenna.\n'.repeat(5);
  const glossary = await create(app, key, {
    action: 'glossary_extraction',
    target_lang: 'de',
    char_limit: 400,
    text: named,
  });
  const sources = glossary.body.data.terms.map((term: { source: string }) => term.source);
  assert.ok(sources.includes('Corwin') && sources.includes('Brenna'), glossary.text);
  assert.equal(glossary.body.data.credits_charged, 400);
  const metadata = await create(
    app,
    key,
    { action: 'preview_metadata', char_limit: 200 },
    { file: { content: epub, fileName: 'lamp.epub' } },
  );
  assert.equal(metadata.body.data.detected_language, 'en');
  assert.equal(metadata.body.data.source_lang, 'en');
  assert.equal(metadata.body.data.metadata.file_name, 'lamp.epub');
  const { sample, sample_characters, chapters, total_characters } = metadata.body.data.metadata;
  assert.deepEqual([sample.characters, sample_characters], [200, 200]);
  assert.ok(
    sample.chapters < chapters.length && total_characters > 200,
    'all chapters are listed, whatever the sample',
  );
  assert.equal(metadata.body.data.metadata.sample_characters, 200);
  assert.equal(metadata.body.data.metadata.title, 'The Lamp on the Quay');
});

test('an inline action without char_limit, or beyond 50,000 characters, is pending like any other', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const [whole, large] = await Promise.all([
    create(app, key, { action: 'preview_metadata', text }),
    create(app, key, { action: 'preview_metadata', text: story(60_000), char_limit: 55_000 }),
  ]);
  for (const { status, body } of [whole, large]) {
    assert.equal(status, 201);
    assert.equal(body.data.status, 'pending');
    const ended = await untilEnded(app, key, body.data.task_id);
    assert.equal(ended.status, 'completed');
    assert.equal(ended.detected_language, 'en');
  }
});

test('the languages are echoed as sent, in canonical case', async () => {
  const { key } = await api.account({ credits: 100_000 });
  const cases: [sent: string, shown: string][] = [
    ['ZH_tw', 'zh-TW'],
    ['zh', 'zh'],
    ['PT-br', 'pt-BR'],
    ['EN_gb', 'en-GB'],
    ['zh-hant', 'zh-Hant'],
    ['sr_LATN', 'sr-Latn'],
  ];
  await Promise.all(
    cases.map(async ([sent, shown]) => {
      const { body } = await create(api, key, { action: 'translation', target_lang: sent, source_lang: 'ja', text });
      assert.equal(body.data.target_lang, shown);
      assert.equal(body.data.source_lang, 'ja');
    }),
  );
});

test('in 8 scripts and all their traps, every character is held, charged and shown exactly, as text and as a file', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const waiting = await api.account({ credits: 100_000 });
  const before = await creditsOf(app, key);
  // What a text says is one and the same in both, once it is counted; these are where reading a file could count otherwise.
  const readOtherwise = ['combining marks', 'emoji sequences', 'CRLF', 'BOM'];
  let total = 0;
  await Promise.all(
    texts.map(async ({ name, sent, characters }) => {
      const fields = { action: 'translation', target_lang: name === 'Latin' ? 'fr' : 'en' };
      const toTheEnd = readOtherwise.includes(name);
      const [asFile, asText] = await Promise.all([
        create(app, key, { ...fields, estimated_chars: 1 }, { file: { content: sent } }),
        create(toTheEnd ? app : api, toTheEnd ? key : waiting.key, { ...fields, text: sent }),
      ]);
      for (const created of [asFile, asText]) {
        assert.equal(created.body.data.char_count, characters, `${name}: ${created.text}`);
        assert.equal(created.body.data.estimated_credits, characters, name);
      }
      for (const created of toTheEnd ? [asFile, asText] : [asFile]) {
        const ended = await untilEnded(app, key, created.body.data.task_id);
        assert.equal(ended.status, 'completed', `${name}: ${JSON.stringify(ended)}`);
        assert.equal(ended.credits_charged, characters, `${name}: ${JSON.stringify(ended)}`);
        total += characters;
      }
    }),
  );
  const after = await creditsOf(app, key);
  assert.deepEqual(after, { balance: before.balance - total, reserved: 0, used: total });
});

test('char_limit takes exactly the first characters, never half of one that is seen as one', async () => {
  const { key } = await api.account({ credits: 100_000 });
  const family = '👩‍👩‍👧‍👦'; // 7 code points
  const cases: [text: string, limit: number, counted: number][] = [
    ['a'.repeat(10), 4, 4],
    ['a'.repeat(10), 10, 10],
    ['a'.repeat(10), 11, 10],
    ['𠮷'.repeat(5), 3, 3],
    ['a\r\nb\r\nc', 3, 3],
    ['\ufeffabc', 2, 2],
    [`ab${family}c`, 9, 9],
    [`ab${family}c`, 8, 2],
    [`ab${family}c`, 10, 10],
    ['cafe\u0301 ouvert', 5, 5],
    ['cafe\u0301 ouvert', 4, 3],
  ];
  await Promise.all(
    cases.flatMap(([source, char_limit, counted]) => [
      (async () => {
        const { body, text: answer } = await create(api, key, { action: 'token_estimate', char_limit, text: source });
        assert.equal(body.data.char_count, counted, `${JSON.stringify(source)} to ${char_limit}: ${answer}`);
        assert.equal(body.data.estimated_credits, counted);
      })(),
      (async () => {
        const file = { content: source };
        const { body } = await create(api, key, { action: 'token_estimate', char_limit }, { file });
        assert.equal(body.data.char_count, counted, `file ${JSON.stringify(source)} to ${char_limit}`);
      })(),
    ]),
  );
});

test('in an EPUB too: char_limit is exact up to the whole book, and the whole book counts the same without it', async () => {
  const { key } = await api.account({ credits: 100_000 });
  const file = { content: epub, fileName: 'lamp.epub' };
  const { body } = await create(api, key, { action: 'token_estimate', estimated_chars: 1 }, { file });
  const total = body.data.char_count;
  assert.ok(total > 500, `${total}`);
  const limits = [1, 2, 17, 100, 101, 333, total - 1, total, total + 1, total * 10];
  await Promise.all(
    limits.map(async (char_limit) => {
      const limited = await create(api, key, { action: 'token_estimate', char_limit }, { file });
      assert.equal(limited.body.data.char_count, Math.min(char_limit, total));
    }),
  );
});

test('the hold is the larger of estimated_chars and what was counted; only what was delivered is charged', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const file = { content: text };
  const created = await create(app, key, { action: 'translation', target_lang: 'de', estimated_chars: 500 }, { file });
  assert.equal(created.body.data.estimated_credits, 500);
  assert.equal(created.body.data.char_count, text.length);
  const ended = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(ended.credits_charged, text.length);
  const low = await create(app, key, { action: 'translation', target_lang: 'de', estimated_chars: 1 }, { file });
  assert.equal(low.body.data.estimated_credits, text.length);
  await untilEnded(app, key, low.body.data.task_id);
  assert.deepEqual(await creditsOf(app, key), { balance: 1_000 - 2 * text.length, reserved: 0, used: 2 * text.length });
});

test('estimated_chars with text is checked and otherwise ignored', async () => {
  const { key } = await api.account({ credits: 1_000 });
  const { body } = await create(api, key, { action: 'translation', target_lang: 'de', estimated_chars: 900_000, text });
  assert.equal(body.data.estimated_credits, text.length);
});

test('token_estimate and preview_metadata are free, with an empty balance too', async () => {
  const { key } = await app.account();
  const estimate = await run(app, key, { action: 'token_estimate', text: story(5_000) });
  assert.equal(estimate.credits_charged, 0);
  assert.equal(estimate.estimated_credits, estimate.char_count);
  assert.equal(estimate.total_characters, estimate.char_count);
  assert.ok(estimate.estimated_tokens > 500 && estimate.detected_language === 'en', JSON.stringify(estimate));
  const metadata = await run(app, key, { action: 'preview_metadata', text });
  assert.equal(metadata.credits_charged, 0);
  assert.equal(metadata.estimated_credits, 0);
  assert.deepEqual(await creditsOf(app, key), { balance: 0, reserved: 0, used: 0 });
});

test('preview_translation without char_limit takes the first 3,000 characters', async () => {
  const { key } = await api.account({ credits: 10_000 });
  const { body } = await create(api, key, { action: 'preview_translation', target_lang: 'fr', text: story(9_000) });
  assert.equal(body.data.char_count, 3_000);
  assert.equal(body.data.estimated_credits, 3_000);
});

test('metadata up to its limits comes back as partner_metadata on every view', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const metadata = Object.fromEntries([
    ['external_id', 'job 42'],
    ['k'.repeat(64), '𠮷'.repeat(512)],
    ['__proto__', 'a key like any other'],
    ...Array.from({ length: 13 }, (_, i) => [`note ${i}`, '']),
  ]);
  for (const as of ['json', 'multipart'] as const) {
    const { status, body, text: answer } = await create(app, key, { action: 'token_estimate', text, metadata }, { as });
    assert.equal(status, 201, answer);
    assert.deepEqual(Object.entries(body.data.partner_metadata).sort(), Object.entries(metadata).sort());
    const ended = await untilEnded(app, key, body.data.task_id);
    assert.deepEqual(Object.entries(ended.partner_metadata).sort(), Object.entries(metadata).sort());
  }
});

test('a glossary may hold renderings or whole entries, as a real object or as JSON in a string', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const glossary = {
    Corwin: 'Korvin',
    Brenna: { target: 'Bren', type: 'person', gender: 'female', aliases: ['Bren'] },
  };
  const fields = { action: 'glossary_extraction', target_lang: 'de', char_limit: 50, text };
  const answers = await Promise.all([
    create(app, key, { ...fields, glossary, glossary_strategy: 'replace' }),
    create(app, key, { ...fields, glossary: JSON.stringify(glossary), glossary_strategy: 'replace' }),
    create(app, key, { ...fields, glossary, glossary_strategy: 'replace' }, { as: 'multipart' }),
    create(app, key, { ...fields, glossary: {}, glossary_strategy: 'replace' }),
  ]);
  for (const { body, text: answer } of answers.slice(0, 3)) {
    const terms = body.data.terms.map((term: { source: string; target: string }) => [term.source, term.target]);
    assert.deepEqual(
      terms.sort(),
      [
        ['Brenna', 'Bren'],
        ['Corwin', 'Korvin'],
      ],
      answer,
    );
  }
  assert.deepEqual(answers[3]?.body.data.terms, []);
});
