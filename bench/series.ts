/**
 * What a series costs: the time of a novel with three new chapters, of which everything else is remembered; paragraphs that an
 * insertion translates again; the size of a remembered novel; and looking a novel up among very many remembered paragraphs, with
 * the plan of the question. `node bench/series.ts [PARAGRAPHS] [PART…]`; parts: chapters, insertions, size, look-up.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApplication } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { blocksOf, type Document } from '../src/documents/document.ts';
import { createAccount } from '../src/operators/account-changes.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { newId } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import { findFitting, findMemory, openMemory, rememberBlocks } from '../src/series/memory-store.ts';
import { insertSeries } from '../src/series/series-store.ts';
import { blockKeysOf } from '../src/translation/memory/block-keys.ts';
import { makeNovel, random } from '../test/translation/novel.ts';
import { packEpub } from './pack-epub.ts';
import { addRow } from './rows.ts';

const manyParagraphs = Number(process.argv[2] ?? 10_000_000);
const parts: Record<string, () => Promise<void>> = {
  chapters: newChapters,
  insertions,
  size: sizeOfNovel,
  'look-up': lookUp,
};
const wanted = process.argv.slice(3);
const folder = await mkdtemp(join(tmpdir(), 'toledo-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
const config = loadConfig({
  TOLEDO_DATA_DIR: join(folder, 'data'),
  TOLEDO_PORT: '0',
  TOLEDO_LOG_LEVEL: 'warn',
  TOLEDO_ENGINE: 'sandbox',
});
const application = await createApplication({ config, databaseUrl: postgres.url, role: 'all', log: createLog('warn') });
const { port } = await application.listen();
const { db, pool } = application.database;
const partner = { name: 'bench', rateLimitPerMinute: 100_000, billingPeriod: 'monthly', credits: 1e9 } as const;
const { key, account } = await createAccount(db, 'bench', partner, application.secrets.keyPepper);
const base = `http://127.0.0.1:${port}/api/v1`;
try {
  for (const part of wanted.length > 0 ? wanted : Object.keys(parts)) await parts[part]?.();
} finally {
  await application.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Everything but the engine: the sandbox answers at once. */
async function newChapters(): Promise<void> {
  const { sections } = makeNovel(700_000);
  const chapters = sections.map(({ blocks }) => blocks.map(({ text }) => `<p>${text}</p>`).join('\n'));
  const series = await newSeries();
  await translate(series, packEpub(chapters.slice(0, -3)));
  const started = performance.now();
  const task = await translate(series, packEpub(chapters));
  const seconds = (performance.now() - started) / 1000;
  const added = sections.slice(-3).flatMap(({ blocks }) => blocks);
  const expected = added.reduce((sum, { characters }) => sum + characters, 0);
  print(
    `three new chapters of ${task.char_count} characters: ${seconds.toFixed(1)} s, ${task.credits_charged} billed, ${expected} new`,
  );
  addRow({
    name: 'a novel of 700,000 characters with three new chapters',
    value: seconds,
    unit: 's',
    limit: 'upload to finished book, the sandbox answering at once',
    goal: { atMost: 10 },
  });
}

/** Paragraphs that are translated again when one is inserted at a random place. */
async function insertions(): Promise<void> {
  const lines = blocksOf(makeNovel(300_000)).map(({ text }) => text);
  const series = await newSeries();
  const book = (texts: readonly string[]) => packEpub([texts.map((text) => `<p>${text}</p>`).join('\n')]);
  await translate(series, book(lines));
  const next = random(3);
  let most = 0;
  for (let i = 0; i < 20; i++) {
    const place = Math.floor(next() * lines.length);
    const inserted = `Nobody had asked for the ${i}. letter, and yet it lay on the table in the morning, sealed and dry.`;
    const task = await translate(series, book([...lines.slice(0, place), inserted, ...lines.slice(place)]));
    const again = task.coverage.translated - inserted.length;
    most = Math.max(most, 1 + Math.ceil(again / '“Never!”'.length));
  }
  print(`paragraphs translated for an insertion, at most: ${most}`);
  addRow({
    name: 'paragraphs translated for one inserted, at most',
    value: most,
    unit: 'paragraphs',
    limit: '1: the inserted one; 20 random places of a novel of 300,000 characters',
    goal: { atMost: 3 },
  });
}

async function sizeOfNovel(): Promise<void> {
  const novel = makeNovel(3_000_000, 11);
  const size = async () =>
    Number((await pool.query(`select pg_total_relation_size('memory_blocks') as bytes`)).rows[0].bytes);
  const before = await size();
  const { paragraphs } = await remember(novel);
  const ratio =
    ((await size()) - before) /
    Buffer.byteLength(
      blocksOf(novel)
        .map(({ text }) => text)
        .join('\n'),
    );
  print(`memory of ${paragraphs} paragraphs, 3,000,000 characters: ${ratio.toFixed(2)} × the text`);
  addRow({
    name: 'memory of a novel of 3,000,000 characters in the database',
    value: ratio,
    unit: '× the text',
    limit: '1: the translations alone; table and index, a quarter of the paragraphs being one short line',
    goal: { atMost: 2 },
  });
}

async function lookUp(): Promise<void> {
  const novel = makeNovel(700_000, 13);
  const { memoryId, keys, paragraphs } = await remember(novel);
  const batch = 200_000;
  for (let from = 0; from < manyParagraphs; from += batch) {
    await pool.query(
      `insert into memory_blocks (memory_id, text_key, variant, context, grade, target)
       select $1, md5(n::text)::uuid, 1 + n % 1000003, n, 0, repeat('translated words ', 3 + n % 8)
       from generate_series($2::int, $3::int) n`,
      [memoryId, from + 1, Math.min(manyParagraphs, from + batch)],
    );
  }
  await pool.query('vacuum analyze memory_blocks');
  const ask = async () => {
    let found = 0;
    for (let at = 0; at < keys.length; at += 300)
      found += (await findFitting(db, account.id, memoryId, keys.slice(at, at + 300), ['translated'])).length;
    return found;
  };
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    found = await ask();
    times.push((performance.now() - started) / 1000);
  }
  print(
    `${paragraphs} paragraphs looked up among ${manyParagraphs}: first ${times[0]?.toFixed(2)} s, then ${times[2]?.toFixed(2)} s; ${found} rows`,
  );
  const { rows } = await pool.query(
    `explain select * from unnest($1::uuid[]) asked (text_key) cross join lateral (
       select * from memory_blocks where memory_id = $2 and text_key = asked.text_key order by variant, context limit 33) b`,
    [keys.slice(0, 300).map(({ text }) => text), memoryId],
  );
  for (const row of rows) print(`  ${row['QUERY PLAN']}`);
  addRow({
    name: `looking up a novel of 700,000 characters among ${manyParagraphs.toLocaleString('en')} paragraphs`,
    value: times[0] ?? 0,
    unit: 's',
    limit: 'the first time, in questions of 300 paragraphs',
    goal: { atMost: 1 },
  });
}

async function remember(novel: Document) {
  const seriesId = newId('ser');
  const owner = { accountId: account.id, sandbox: false, seriesId };
  const keys = blockKeysOf(novel, {
    sourceLang: 'en',
    targetLang: 'de',
    style: undefined,
    background: undefined,
    termsIn: () => ({ terms: [] }),
    enginePolicy: '',
  });
  const texts = new Map(blocksOf(novel).map(({ id, text }) => [id, text]));
  const memories = keys.map(({ blockId, text, variant, context, characters }) => {
    const target = texts.get(blockId) ?? '';
    return { text, variant, context, characters, target, grade: 'translated' as const };
  });
  const distinct = [
    ...new Map(memories.map((each) => [`${each.text} ${each.variant} ${each.context}`, each])).values(),
  ];
  await db.transaction().execute(async (trx) => {
    const series = {
      id: seriesId,
      title: 'Bench',
      sourceLang: 'en',
      targetLang: 'de',
      style: undefined,
      background: undefined,
      metadata: {},
    };
    await insertSeries(trx, { ...series, accountId: account.id, sandbox: false });
    await rememberBlocks(trx, (await openMemory(trx, owner)) ?? 0, distinct, undefined);
  });
  return { memoryId: (await findMemory(db, owner))?.id ?? 0, keys, paragraphs: keys.length };
}

async function newSeries(): Promise<string> {
  const body = JSON.stringify({ title: 'Bench', source_lang: 'en', target_lang: 'de' });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${base}/series`, { method: 'POST', headers, body });
  return ((await answer.json()) as { data: { series_id: string } }).data.series_id;
}

interface Ended {
  task_id: string;
  status: string;
  char_count: number;
  credits_charged: number;
  coverage: { translated: number };
}

async function translate(series: string, book: Uint8Array): Promise<Ended> {
  const form = new FormData();
  const fields = { action: 'translation', series_id: series, estimated_chars: '1' };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Uint8Array.from(book)]), 'novel.epub');
  const headers = { authorization: `Bearer ${key}` };
  const created = await fetch(`${base}/tasks`, { method: 'POST', headers, body: form });
  let { data } = (await created.json()) as { data: Ended };
  while (data.status === 'pending') {
    await sleep(100);
    data = ((await (await fetch(`${base}/tasks/${data.task_id}`, { headers })).json()) as { data: Ended }).data;
  }
  if (data.status !== 'completed') throw new Error(JSON.stringify(data));
  return data;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
