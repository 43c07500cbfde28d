/**
 * A series remembers and charges what a model of it says, whatever is killed meanwhile: books of shared paragraphs, one after
 * the other and two at once, changed terms, corrections, quotes, cancellations, and series that are deleted under a task. Every
 * book is compared with the model: what it cost, and each paragraph that had to come back word for word. Size: sequences of
 * steps, each with an account.
 */
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from '../support/api-client.ts';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { patient } from '../support/patient-call.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, creditsOf, type Fields, until, untilEnded } from '../support/task-client.ts';

const { size: sequences, seed, isLong } = proofRun({ short: 2, long: 500, seed: 5 });
const atOnce = isLong ? 8 : 2;

test(`${sequences} sequences of books, terms, corrections, quotes and deletions under kills cost and deliver what the model says`, async (t) => {
  const cluster = await startFaultCluster({
    llm: { latencyMs: 20, perTokenMs: 0, seed },
    engine: { max_input_characters: 150, concurrency: 8 },
  });
  const [api, worker] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  await cluster.setLeaseSeconds(3);
  const seen: Counts = {
    books: 0,
    free: 0,
    cancelled: 0,
    quoted: 0,
    corrected: 0,
    deleted: 0,
    interrupted: 0,
    kills: 0,
  };
  const over = new AbortController();
  const disturbing = disturb(api, worker, over.signal, seen);
  const service = { call: patient(api.call) };
  let next = 0;
  const partner = async () => {
    for (let number = next++; number < sequences; number = next++) await playSequence(cluster, service, number, seen);
  };
  const playing = Promise.all(Array.from({ length: atOnce }, partner));
  try {
    await Promise.race([playing, disturbing.then(() => playing)]);
  } finally {
    over.abort();
  }
  await disturbing;
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.kills > 0 && seen.books > 0 && seen.free > 0);
  if (isLong)
    assert.ok(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    );
});

interface Counts {
  books: number;
  /** Books of which nothing was new. */
  free: number;
  cancelled: number;
  quoted: number;
  corrected: number;
  /** Series that were deleted under a running task. */
  deleted: number;
  /** Tasks that were taken more than once. */
  interrupted: number;
  kills: number;
}

interface Service {
  call: Call;
}

/** What the model knows of a partner with a series. */
interface Model {
  key: string;
  seriesId: string;
  spent: number;
  granted: number;
  /** What the term of the series is rendered as; undefined while there is none. */
  term: string | undefined;
  /** Delivered translations, by paragraph and rendering of the term in it. */
  remembered: Map<string, string>;
  corrected: Map<string, string>;
}

type Draw = (what: string) => number;

const paragraphs = Array.from(
  { length: 14 },
  (_, n) =>
    `On evening ${n} of the long winter they counted ${n * 37 + 5} sails and hung the ${n % 3 === 0 ? 'lantern' : 'rope'} beside the door again.`,
);
const hasTerm = (paragraph: string) => paragraph.includes('lantern');
const keyOf = (model: Model, paragraph: string) => `${hasTerm(paragraph) ? (model.term ?? '') : ''} ${paragraph}`;
const isRemembered = (model: Model, paragraph: string) =>
  model.corrected.has(paragraph) || model.remembered.has(keyOf(model, paragraph));

/** One credit per character that is not remembered; blank lines cost something between two new paragraphs. */
function priceOf(model: Model, book: readonly string[]): number {
  const isNew = book.map((paragraph) => !isRemembered(model, paragraph));
  return book.reduce(
    (price, { length }, i) => price + (isNew[i] ? length : 0) + (isNew[i] && i > 0 && isNew[i - 1] ? 2 : 0),
    0,
  );
}

async function playSequence(cluster: FaultCluster, service: Service, number: number, seen: Counts): Promise<void> {
  const granted = 1_000_000;
  const { key } = await cluster.account({ credits: granted, rateLimitPerMinute: 10_000 });
  const model: Model = {
    key,
    seriesId: '',
    spent: 0,
    granted,
    term: undefined,
    remembered: new Map(),
    corrected: new Map(),
  };
  await newSeries(service, model);
  const steps = isLong ? 8 : 4;
  for (let at = 0; at < steps; at++) {
    const draw: Draw = (what) => seeded(seed, 'series', number, at, what);
    // The short run begins with what every series does; the rest is drawn.
    const step = at === 0 ? 'book' : at === 1 ? 'same' : (kinds[Math.floor(draw('step') * kinds.length)] ?? 'book');
    await plays[step](cluster, service, model, draw, seen);
    const expected = { balance: model.granted - model.spent, reserved: 0, used: model.spent };
    assert.deepEqual(await creditsOf(service, key), expected, `${number} ${at} ${step}`);
  }
}

const kinds = ['book', 'book', 'same', 'twins', 'term', 'correct', 'quote', 'cancel', 'delete'] as const;
type Kind = (typeof kinds)[number];
type Step = (cluster: FaultCluster, service: Service, model: Model, draw: Draw, seen: Counts) => Promise<void>;

const plays: Record<Kind, Step> = {
  async book(cluster, service, model, draw, seen) {
    await translate(cluster, service, model, bookOf(draw, 'a'), seen);
  },
  /** Once more, which is free. */
  async same(cluster, service, model, draw, seen) {
    const book = bookOf(draw, 'a');
    await translate(cluster, service, model, book, seen);
    assert.equal(priceOf(model, book), 0);
    await translate(cluster, service, model, book, seen);
  },
  /** Each may or may not see what the other has finished. */
  async twins(_cluster, service, model, draw, seen) {
    const books = [bookOf(draw, 'a'), bookOf(draw, 'b')] as const;
    const alone = books.map((book) => priceOf(model, book));
    const ended = await Promise.all(books.map((book) => order(service, model, { text: book.join('\n\n') })));
    const before = model.remembered;
    model.remembered = new Map(before);
    for (const [i, task] of ended.entries()) {
      const own = books[i] as string[];
      for (const paragraph of books[1 - i] as string[]) model.remembered.set(keyOf(model, paragraph), '');
      const least = priceOf(model, own);
      model.remembered = new Map(before);
      assert.ok(
        task.credits_charged <= (alone[i] ?? 0) && task.credits_charged >= least,
        JSON.stringify(task.coverage),
      );
      model.spent += task.credits_charged;
      seen.books++;
    }
    // The one that completed first is remembered; which one it was shows in a book that is free.
    for (const book of books) {
      const task = await order(service, model, { text: book.join('\n\n') });
      assert.equal(task.credits_charged, 0);
      await learn(service, model, book, task.task_id);
    }
  },
  async term(_cluster, service, model, draw) {
    const target = ['Laterne', 'Leuchte', 'Licht'][Math.floor(draw('target') * 3)] as string;
    const { status } = await send(service, model, 'PUT', '/terms', { terms: [{ source: 'lantern', target }] });
    assert.equal(status, 200);
    model.term = target;
  },
  async correct(_cluster, service, model, draw, seen) {
    const known = paragraphs.filter((paragraph) => isRemembered(model, paragraph));
    const source = known[Math.floor(draw('which') * known.length)];
    if (source === undefined) return;
    const target = `By hand ${Math.floor(draw('words') * 1_000_000)}.`;
    const { body } = await send(service, model, 'POST', '/corrections', [{ source, target }]);
    assert.deepEqual([body.data.taken + body.data.unchanged, body.data.refused], [1, 0]);
    model.corrected.set(source, target);
    seen.corrected++;
  },
  /** An estimate binds as long as the terms are the same. */
  async quote(cluster, service, model, draw, seen) {
    const book = bookOf(draw, 'a');
    const [price, term] = [priceOf(model, book), model.term];
    const estimate = await order(service, model, { action: 'token_estimate', text: book.join('\n\n') });
    assert.equal(estimate.billable_characters, price);
    await plays.term(cluster, service, model, draw, seen);
    const task = await order(service, model, { source_task_id: estimate.task_id });
    assert.equal(task.quote, model.term === term ? 'applied' : 'void');
    assert.equal(task.credits_charged, priceOf(model, book));
    model.spent += task.credits_charged;
    await learn(service, model, book, task.task_id);
    seen.quoted++;
  },
  /** It costs what it finished, and teaches that. */
  async cancel(cluster, service, model, draw, seen) {
    const book = bookOf(draw, 'a');
    const price = priceOf(model, book);
    const created = await createOnce(service, model, { text: book.join('\n\n') });
    const taskId: string = created.body.data.task_id;
    await sleep(draw('moment') * 1_000);
    await service.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key: model.key });
    const task = await untilEnded(service, model.key, taskId);
    model.spent += task.credits_charged;
    assert.ok(task.credits_charged <= price);
    if (task.status === 'completed') await learn(service, model, book, taskId);
    else {
      seen.cancelled++;
      const { rows } = await cluster.pool.query(
        `select coalesce(sum(characters) filter (where kind in ('segment', 'recall')), 0)::int as done,
           coalesce(sum(paid_characters), 0)::int as paid from checkpoints where task_id = $1`,
        [taskId],
      );
      const { done, paid } = rows[0];
      assert.equal(task.credits_charged, Math.max(0, Math.min(task.char_count, done) - paid));
      if (task.credits_charged === 0) return;
      await until(service, model.key, taskId, ({ download_files }) => download_files !== undefined);
      await learn(service, model, book, taskId);
    }
  },
  /** The task goes on, nothing of the series is left, and its text is gone from the memory. */
  async delete(cluster, service, model, draw, seen) {
    const book = bookOf(draw, 'a');
    const created = await createOnce(service, model, { text: book.join('\n\n') });
    await sleep(draw('moment') * 500);
    await send(service, model, 'DELETE', '');
    const task = await untilEnded(service, model.key, created.body.data.task_id);
    assert.equal(task.status, 'completed', JSON.stringify(task));
    assert.ok(task.credits_charged <= task.char_count);
    model.spent += task.credits_charged;
    assert.equal((await service.call('GET', `/api/v1/series/${model.seriesId}`, { key: model.key })).status, 404);
    const { rows } = await cluster.pool.query(
      `select count(*)::int as memories, (select count(*)::int from series_terms where series_id = $1) as terms,
         (select count(*)::int from memory_blocks b where not exists (select from memories m where m.id = b.memory_id)) as loose
       from memories where series_id = $1`,
      [model.seriesId],
    );
    assert.deepEqual(rows[0], { memories: 0, terms: 0, loose: 0 });
    seen.deleted++;
    await newSeries(service, model);
  },
};

/** Some paragraphs of all, each once, in a drawn order. */
function bookOf(draw: Draw, which: string): string[] {
  const length = 3 + Math.floor(draw(`${which} length`) * 5);
  return paragraphs
    .map((text, n) => ({ text, at: draw(`${which} place ${n}`) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, length)
    .map(({ text }) => text);
}

async function translate(
  cluster: FaultCluster,
  service: Service,
  model: Model,
  book: readonly string[],
  seen: Counts,
): Promise<void> {
  const price = priceOf(model, book);
  const task = await order(service, model, { text: book.join('\n\n') });
  assert.equal(task.credits_charged, price, JSON.stringify(task.coverage));
  model.spent += price;
  await learn(service, model, book, task.task_id);
  seen.books++;
  if (price === 0) seen.free++;
  if ((await cluster.attempts(task.task_id)).attempt > 1) seen.interrupted++;
}

/** Every paragraph that was remembered came back word for word; the others are remembered from now on, if they were finished. */
async function learn(service: Service, model: Model, book: readonly string[], taskId: string): Promise<void> {
  const address = `/api/tasks/download-file/${taskId}?file_id=translated`;
  const { text } = await service.call('GET', address, { key: model.key });
  const delivered = text.trim().split(/\n\n+/);
  assert.equal(delivered.length, book.length);
  for (const [i, paragraph] of book.entries()) {
    const own = model.corrected.get(paragraph) ?? model.remembered.get(keyOf(model, paragraph));
    if (own !== undefined) assert.equal(delivered[i], own);
    else if (delivered[i] !== paragraph) model.remembered.set(keyOf(model, paragraph), delivered[i] as string);
  }
}

/** However often the answer is lost. */
async function createOnce(service: Service, { key, seriesId }: Model, fields: Fields): Promise<Answer> {
  const order = { action: 'translation', series_id: seriesId, ...fields };
  const created = await create(service, key, order, { idempotencyKey: randomUUID() });
  assert.equal(created.status, 201, created.text);
  return created;
}

// biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
async function order(service: Service, model: Model, fields: Fields): Promise<any> {
  const created = await createOnce(service, model, fields);
  const task = await untilEnded(service, model.key, created.body.data.task_id);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  return task;
}

async function newSeries(service: Service, model: Model): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Model', source_lang: 'en', target_lang: 'de' });
  const answer = await service.call('POST', '/api/v1/series', { key: model.key, headers, body });
  assert.equal(answer.status, 201, answer.text);
  Object.assign(model, { seriesId: answer.body.data.series_id, term: undefined });
  model.remembered.clear();
  model.corrected.clear();
}

function send(service: Service, model: Model, method: string, path: string, body?: unknown): Promise<Answer> {
  const content =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return service.call(method, `/api/v1/series/${model.seriesId}${path}`, { key: model.key, ...content });
}

/** Kills or stops one of the two processes after the other, each at a random moment, and starts it again. */
async function disturb(api: Member, worker: Member, over: AbortSignal, seen: Counts): Promise<void> {
  const members = [worker, api];
  for (let kill = 0; !over.aborted && (isLong || kill < 1); kill++) {
    const pause = 500 + seeded(seed, 'pause', kill) * (isLong ? 5_000 : 1_000);
    await sleep(pause, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    const victim = kill % 3 === 1 ? 1 : 0;
    await (members[victim] as Member).kill();
    members[victim] = await (members[victim] as Member).startAgain();
    seen.kills++;
  }
}
