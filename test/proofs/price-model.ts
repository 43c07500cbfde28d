/**
 * What a series charges equals a model of it, to the character. Partners order books of shared paragraphs, change the style and the
 * terms, put their own terms back, take quotes and use them late, twice or after a change, cancel, and correct as two editors who
 * do not know of each other. The model knows only what was ordered and delivered. It says before every order what it will hold and
 * cost: no translated paragraph is free that was not paid before, and none is paid twice. Size: sequences of steps, each with an account.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/api-client.ts';
import { type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, creditsOf, type Fields, until, untilEnded } from '../support/task-client.ts';

const { size: sequences, seed, isLong } = proofRun({ short: 4, long: 2_000, seed: 3 });
const atOnce = isLong ? 12 : 4;
const stepsPerSequence = 6;

test(`${sequences} sequences of styles, terms, quotes, cancellations and two editors: nothing is free that was not paid, nothing paid twice`, async (t) => {
  const cluster = await startFaultCluster({
    llm: { latencyMs: 5, perTokenMs: 0, seed },
    engine: { max_input_characters: 150, concurrency: 16 },
  });
  const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  const seen: Record<Step | 'free' | 'void', number> = {
    ...{ book: 0, style: 0, term: 0, 'terms put back': 0, quote: 0, cancel: 0, editors: 0 },
    ...{ free: 0, void: 0 },
  };
  let next = 0;
  const partner = async () => {
    for (let number = next++; number < sequences; number = next++) {
      const granted = 1_000_000;
      const { key } = await cluster.account({ credits: granted, rateLimitPerMinute: 100_000 });
      const sequence = new Sequence(api, key, granted, number, seen);
      await sequence.play();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, partner));
  t.diagnostic(JSON.stringify(seen));
  if (isLong)
    assert.ok(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    );
});

interface Quote {
  credits: number;
  /** `applied`, or why it is void; undefined = any of them. */
  said: string | undefined;
}

const steps = ['book', 'book', 'style', 'term', 'terms put back', 'quote', 'quote', 'cancel', 'editors'] as const;
type Step = (typeof steps)[number];

const paragraphs = Array.from(
  { length: 12 },
  (_, n) =>
    `On evening ${n} of the long winter they counted ${n * 37 + 5} sails and hung the ${n % 3 === 0 ? 'lantern' : n % 3 === 1 ? 'rope' : 'coat'} beside the door again.`,
);
const termSources = ['lantern', 'rope'];
const styles = [null, 'Plain.', 'Ornate.'] as const;

class Sequence {
  readonly #api: Member;
  readonly #key: string;
  readonly #granted: number;
  readonly #number: number;
  readonly #seen: Record<Step | 'free' | 'void', number>;
  #at = 0;
  #seriesId = '';
  #style: string | null = null;
  readonly #terms = new Map<string, string>();
  /** What was paid for, by all that decides on a translation, and what came of it. */
  readonly #paid = new Map<string, string>();
  readonly #corrected = new Map<string, string>();
  #spent = 0;
  /** For the blank lines between new paragraphs. */
  #spentBetween = 0;

  constructor(api: Member, key: string, granted: number, number: number, seen: Record<Step | 'free' | 'void', number>) {
    this.#api = api;
    this.#key = key;
    this.#granted = granted;
    this.#number = number;
    this.#seen = seen;
  }

  async play(): Promise<void> {
    const series = { title: 'Model', source_lang: 'en', target_lang: 'de' };
    this.#seriesId = (await this.#send('POST', '/series', series)).body.data.series_id;
    const first = Math.floor(seeded(seed, 'first', this.#number) * steps.length);
    for (; this.#at < stepsPerSequence; this.#at++) {
      const step = this.#at === 0 ? 'book' : (steps[(first + this.#at * 4) % steps.length] as Step);
      await this.#plays[step]();
      this.#seen[step]++;
      const expected = { balance: this.#granted - this.#spent, reserved: 0, used: this.#spent };
      assert.deepEqual(
        await creditsOf(this.#api, this.#key),
        expected,
        `sequence ${this.#number}, ${this.#at} ${step}`,
      );
    }
    const inParagraphs = [...this.#paid.keys()].reduce((sum, key) => sum + paragraphOf(key).length, 0);
    assert.equal(this.#spent, inParagraphs + this.#spentBetween, 'each translation was paid once');
  }

  readonly #plays: Record<Step, () => Promise<void>> = {
    book: async () => {
      await this.#translate(this.#book('a'));
    },
    style: async () => {
      await this.#setStyle(styles[Math.floor(this.#draw('style') * styles.length)] ?? null);
      await this.#translate(this.#book('a'));
    },
    term: async () => {
      await this.#setTerm();
      await this.#translate(this.#book('a'));
    },
    'terms put back': async () => {
      const book = this.#book('a');
      await this.#translate(book);
      const { terms } = (await this.#send('GET', `${this.#path}/terms`)).body.data;
      if (terms.length > 0) assert.equal((await this.#send('PUT', `${this.#path}/terms`, { terms })).status, 200);
      assert.equal(this.#priceOf(book).credits, 0);
      await this.#translate(book);
    },
    quote: async () => {
      const book = this.#book('a');
      const [style, terms] = [this.#style, new Map(this.#terms)];
      const order = { action: 'token_estimate', series_id: this.#seriesId, text: book.join('\n\n') };
      const estimate = await this.#ended(await create(this.#api, this.#key, order));
      const { credits } = this.#priceOf(book);
      assert.equal(estimate.billable_characters, credits);
      const source = { source_task_id: estimate.task_id };
      const change = this.#draw('change');
      if (change < 0.25) await this.#setStyle(styles[Math.floor(this.#draw('style') * styles.length)] ?? null);
      else if (change < 0.5) await this.#setTerm();
      else if (change < 0.75) await this.#translate(this.#book('b'));
      const sameTerms = termSources.every((source) => terms.get(source) === this.#terms.get(source));
      const reason = this.#style !== style ? 'STYLE_CHANGED' : sameTerms ? undefined : 'TERMS_CHANGED';
      await this.#translate(book, source, { credits, said: reason ?? 'applied' });
      // As often as one likes: it never buys a second book.
      await this.#setStyle(styles[Math.floor(this.#draw('second style') * styles.length)] ?? null);
      const again = reason === undefined ? 'USED' : this.#style === style && sameTerms ? 'applied' : undefined;
      await this.#translate(book, source, { credits, said: again });
    },
    cancel: async () => {
      const book = this.#book('a');
      const { credits, fresh } = this.#priceOf(book);
      const created = await this.#order({ text: book.join('\n\n') });
      assert.equal(created.body.data.estimated_credits, credits);
      const { task_id } = created.body.data;
      await sleep(this.#draw('moment') * 400);
      await this.#send('POST', `/tasks/${task_id}/cancel`);
      const task = await untilEnded(this.#api, this.#key, task_id);
      if (task.status === 'completed') return this.#learn(book, task, credits, fresh);
      assert.equal(task.status, 'cancelled', JSON.stringify(task));
      this.#spent += task.credits_charged;
      if (task.credits_charged === 0) return;
      await until(this.#api, this.#key, task_id, ({ download_files }) => download_files !== undefined);
      const delivered = await this.#delivered(task_id);
      let paid = 0;
      for (const [i, paragraph] of book.entries()) {
        if (!fresh.includes(paragraph)) continue;
        if (delivered[i] === paragraph) continue;
        paid += paragraph.length;
        this.#pay(paragraph, delivered[i] as string);
      }
      assert.equal(task.credits_charged, paid, 'it costs what it delivers');
    },
    editors: async () => {
      const book = this.#book('a');
      await this.#translate(book);
      const [one, other] = book.filter((paragraph) => !this.#corrected.has(paragraph));
      if (one === undefined || other === undefined) return;
      const exported = this.#known(one);
      const send = async (...corrections: { source: string; target: string }[]) =>
        assert.equal((await this.#send('POST', `${this.#path}/corrections`, corrections)).status, 200);
      await send({ source: one, target: `By the first hand ${this.#at}.` });
      await send({ source: one, target: exported ?? '' }, { source: other, target: `By the second hand ${this.#at}.` });
      // Which of the two texts of the first paragraph is in force is no matter of the price.
      const task = await this.#ended(await this.#order({ text: book.join('\n\n') }));
      assert.equal(task.credits_charged, 0);
      const delivered = await this.#delivered(task.task_id);
      for (const paragraph of [one, other])
        this.#corrected.set(paragraph, delivered[book.indexOf(paragraph)] as string);
      assert.equal(this.#corrected.get(other), `By the second hand ${this.#at}.`);
    },
  };

  /** Orders a book, which holds and costs what the model says. */
  async #translate(
    book: readonly string[],
    source: Fields = { text: book.join('\n\n') },
    quote?: Quote,
  ): Promise<void> {
    const { credits, fresh } = this.#priceOf(book);
    const created = await this.#order(source);
    const { estimated_credits, quote: said, quote_reason } = created.body.data;
    const where = `sequence ${this.#number}, step ${this.#at}`;
    if (quote?.said !== undefined) assert.equal(said === 'applied' ? said : quote_reason, quote.said, where);
    if (said === 'void') this.#seen.void++;
    // What was learned since the estimate makes it cheaper; the hold is what was quoted.
    assert.equal(estimated_credits, said === 'applied' ? quote?.credits : credits, where);
    const task = await this.#ended(created);
    if (credits === 0) this.#seen.free++;
    await this.#learn(book, task, credits, fresh);
  }

  async #learn(
    book: readonly string[],
    task: { task_id: string; credits_charged: number; coverage: object },
    credits: number,
    fresh: readonly string[],
  ): Promise<void> {
    assert.equal(task.credits_charged, credits, JSON.stringify(task.coverage));
    const delivered = await this.#delivered(task.task_id);
    assert.equal(delivered.length, book.length);
    for (const [i, paragraph] of book.entries()) {
      if (fresh.includes(paragraph)) this.#pay(paragraph, delivered[i] as string);
      else assert.equal(delivered[i], this.#known(paragraph), 'what is free comes back word for word');
    }
    this.#spent += credits;
    this.#spentBetween += credits - fresh.reduce((sum, { length }) => sum + length, 0);
  }

  /** One credit per character of a paragraph that is not known; blank lines cost something between two of them. */
  #priceOf(book: readonly string[]): { credits: number; fresh: string[] } {
    const fresh = book.filter((paragraph) => this.#known(paragraph) === undefined);
    const isFresh = book.map((paragraph) => fresh.includes(paragraph));
    const between = isFresh.filter((is, i) => i > 0 && is && isFresh[i - 1]).length * 2;
    return { credits: fresh.reduce((sum, { length }) => sum + length, between), fresh };
  }

  #pay(paragraph: string, translation: string): void {
    const key = this.#keyOf(paragraph);
    assert.ok(!this.#paid.has(key), 'nothing is paid twice');
    this.#paid.set(key, translation);
  }

  #known(paragraph: string): string | undefined {
    return this.#corrected.get(paragraph) ?? this.#paid.get(this.#keyOf(paragraph));
  }

  #keyOf(paragraph: string): string {
    const terms = termSources.filter((source) => paragraph.includes(source)).map((source) => this.#terms.get(source));
    return JSON.stringify([paragraph, this.#style, terms]);
  }

  async #setStyle(style: string | null): Promise<void> {
    assert.equal((await this.#send('PATCH', this.#path, { style })).status, 200);
    this.#style = style;
  }

  async #setTerm(): Promise<void> {
    const source = termSources[Math.floor(this.#draw('source') * termSources.length)] as string;
    const target = ['Laterne', 'Leuchte', 'Licht'][Math.floor(this.#draw('target') * 3)] as string;
    assert.equal((await this.#send('PUT', `${this.#path}/terms`, { terms: [{ source, target }] })).status, 200);
    this.#terms.set(source, target);
  }

  /** Some paragraphs of all, each once, in a drawn order. */
  #book(which: string): string[] {
    const length = 2 + Math.floor(this.#draw(`${which} length`) * 4);
    return paragraphs
      .map((text, n) => ({ text, at: this.#draw(`${which} place ${n}`) }))
      .sort((a, b) => a.at - b.at)
      .slice(0, length)
      .map(({ text }) => text);
  }

  #draw(what: string): number {
    return seeded(seed, 'price', this.#number, this.#at, what);
  }

  get #path(): string {
    return `/series/${this.#seriesId}`;
  }

  async #order(source: Fields): Promise<Answer> {
    const created = await create(this.#api, this.#key, {
      action: 'translation',
      series_id: this.#seriesId,
      ...source,
    });
    assert.equal(created.status, 201, created.text);
    return created;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
  async #ended(created: Answer): Promise<any> {
    const task = await untilEnded(this.#api, this.#key, created.body.data.task_id);
    assert.equal(task.status, 'completed', JSON.stringify(task));
    return task;
  }

  async #delivered(taskId: string): Promise<string[]> {
    const address = `/api/tasks/download-file/${taskId}?file_id=translated`;
    const { text } = await this.#api.call('GET', address, { key: this.#key });
    return text.trim().split(/\n\n+/);
  }

  #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const content =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.#api.call(method, `/api/v1${path}`, { key: this.#key, ...content });
  }
}

function paragraphOf(key: string): string {
  return JSON.parse(key)[0];
}
