/**
 * Books keep their text and price while their workers are killed at random; each result equals an undisturbed
 * translation. Each book is a text of its own, so that every call to the engine can be matched to its book and segment.
 * Size: kills.
 */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';

const { size: kills, seed, isLong } = proofRun({ short: 1, long: 200, seed: 7 });

test(`${kills} times kill -9 of a worker in the middle of a book: nothing lost, repeated, reordered or charged twice, the same bytes`, async (t) => {
  const load = isLong
    ? { workers: 3, booksAtOnce: 4, charactersPerBook: 34_600 }
    : { workers: 1, booksAtOnce: 1, charactersPerBook: 4_000 };
  const proof = await proveWorkerKills({ kills, seed, ...load });
  t.diagnostic(JSON.stringify(proof));
  if (isLong) assert.ok(proof.segments >= 290 * proof.books);
  assert.ok(proof.interruptions >= Math.max(1, kills / 2), 'the kills hit workers that were working');
});

interface KillProofOptions {
  kills: number;
  workers: number;
  /** Books in translation at any time; each worker takes one. */
  booksAtOnce: number;
  charactersPerBook: number;
  seed: number;
}

interface KillProof {
  books: number;
  segments: number;
  /** Runs of books that a kill cut off. */
  interruptions: number;
  mostInterruptionsOfOneBook: number;
  engineCalls: number;
  /** Calls that were repeated because their answer died with a worker. */
  repeatedCalls: number;
}

interface Book {
  key: string;
  text: string;
  taskId: string;
}

interface Translation {
  attempt: number;
  /** File ids and digests. */
  files: Record<string, string>;
  segments: number;
  /** Of all segments; separators between paragraphs belong to none. */
  characters: number;
}

const creditsEach = 1_000_000;
/** Short enough for many kills in few minutes; the supervisor looks every 2 s, as in production. */
const leaseSeconds = 3;

async function proveWorkerKills(options: KillProofOptions): Promise<KillProof> {
  const { kills, booksAtOnce, charactersPerBook, seed } = options;
  const cluster = await startFaultCluster({
    env: { TOLEDO_WORKER_BOOKS: '1' },
    // Slow enough that a book outlives several workers.
    llm: { latencyMs: 200, perTokenMs: 0, seed },
    // One paragraph is one segment.
    engine: { max_input_characters: 150, concurrency: 4 },
  });
  const [api, otherApi] = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const workers = await Promise.all(Array.from({ length: options.workers }, () => cluster.start('worker')));
  await cluster.setLeaseSeconds(leaseSeconds);

  const translate = async (text: string): Promise<Book> => {
    const { key } = await cluster.account({ credits: creditsEach });
    const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', text };
    const created = await create(api, key, fields, { idempotencyKey: 'one' });
    assert.equal(created.status, 201, created.text);
    return { key, text, taskId: created.body.data.task_id };
  };

  let over = false;
  let begun = 0;
  const books: Book[] = [];
  const keepTranslating = async (): Promise<void> => {
    while (!over) {
      const book = await translate(story(charactersPerBook, 1000 * seed + begun++));
      books.push(book);
      await untilEnded(otherApi, book.key, book.taskId);
    }
  };
  const translating = Promise.all(Array.from({ length: booksAtOnce }, keepTranslating));
  try {
    await Promise.race([killAll(cluster, workers, kills, seed), translating]);
  } finally {
    over = true;
  }
  await translating;

  const calls = callsByText(await cluster.llm?.calls());
  await cluster.llm?.reset();
  await cluster.llm?.configure({ latencyMs: 5 });
  const proof: KillProof = {
    books: books.length,
    segments: 0,
    interruptions: 0,
    mostInterruptionsOfOneBook: 0,
    engineCalls: sum(calls.values()),
    repeatedCalls: sum(calls.values()) - calls.size,
  };
  let next = 0;
  const compare = async (): Promise<void> => {
    for (let book = books[next++]; book; book = books[next++]) {
      const disturbed = await readTranslation(cluster, api, book);
      const peaceful = await readTranslation(cluster, api, await translate(book.text));
      assert.equal(peaceful.attempt, 1);
      assert.deepEqual({ ...disturbed, attempt: 1 }, peaceful, 'the same segments and the same bytes');
      proof.segments += disturbed.segments;
      proof.interruptions += disturbed.attempt - 1;
      proof.mostInterruptionsOfOneBook = Math.max(proof.mostInterruptionsOfOneBook, disturbed.attempt - 1);
      const marker = book.text.slice(0, book.text.indexOf('\n'));
      const year = /of year \d+/.exec(marker)?.[0] ?? '';
      for (const [text, times] of calls)
        if (text.includes(`${year} `))
          assert.ok(times <= disturbed.attempt, `${times} calls in ${disturbed.attempt} runs`);
    }
  };
  await Promise.all(Array.from({ length: booksAtOnce }, compare));
  for (const times of callsByText(await cluster.llm?.calls()).values()) assert.equal(times, 1, 'undisturbed: one call');
  return proof;
}

/** Kills one worker after the other, each at a moment at which segments are being finished. */
async function killAll(cluster: FaultCluster, workers: Member[], kills: number, seed: number): Promise<void> {
  const segments = async () => Number((await cluster.pool.query('select count(*) as n from checkpoints')).rows[0].n);
  let seen = 0;
  let successor = cluster.start('worker');
  for (let kill = 0; kill < kills; kill++) {
    for (const deadline = Date.now() + 60_000; (await segments()) <= seen; ) {
      assert.ok(Date.now() < deadline, `nothing moves after ${kill} kills`);
      await sleep(20);
    }
    await sleep(seeded(seed, 'moment', kill) * 600);
    const victim = Math.floor(seeded(seed, 'victim', kill) * workers.length);
    await workers[victim]?.kill();
    seen = await segments();
    workers[victim] = await successor;
    successor = cluster.start('worker');
  }
  workers.push(await successor);
}

/** The finished translation; everything about its money and its files is checked on the way. */
async function readTranslation(cluster: FaultCluster, api: Member, { key, taskId }: Book): Promise<Translation> {
  const task = await untilEnded(api, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  const credits = { balance: creditsEach - task.char_count, reserved: 0, used: task.char_count };
  assert.deepEqual(await creditsOf(api, key), credits);
  const { attempt, faults } = await cluster.attempts(taskId);
  assert.equal(faults, 0, 'a kill is no fault of the task');
  const { rows } = await cluster.pool.query(
    "select count(*)::int as segments, sum(characters)::int as characters from checkpoints where task_id = $1 and kind = 'segment'",
    [taskId],
  );
  const files: Record<string, string> = {};
  for (const fileId of ['translated', 'bilingual', 'glossary']) {
    const { body } = await api.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key });
    const content = Buffer.from(await (await fetch(body.data.download_url)).arrayBuffer());
    files[fileId] = createHash('sha256').update(content).digest('hex');
  }
  return { attempt, files, ...rows[0] };
}

function callsByText(calls: readonly { task: string; fingerprint: string }[] = []): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { task, fingerprint } of calls) {
    const name = `${task} ${fingerprint}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
