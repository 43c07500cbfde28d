/**
 * Partners of a fleet: they create, repeat, poll and download, each call through another API than the one before, and try
 * the next one when an API is away. Every output is compared with what the engine's rule makes of the source.
 */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createArchive } from '../../../src/documents/archive/archive-writer.ts';
import { blocksOf } from '../../../src/documents/document.ts';
import { pseudoTranslate } from '../../../src/engines/sandbox/pseudo-translate.ts';
import { readDocument } from '../../documents/read-and-write.ts';
import { story } from '../../support/texts.ts';
import type { Fleet, Machine } from './fleet.ts';

export interface FleetLoadOptions {
  partners: number;
  /** Tasks that each partner has under way at once. */
  atOnce: number;
  credits: number;
  /** What every download URL begins with. */
  downloadsFrom: string;
}

interface EndedTask {
  task_id: string;
  status: string;
  char_count: number;
  credits_charged: number;
}

interface Partner {
  key: string;
  number: number;
  tasks: EndedTask[];
}

const shapes = ['json', 'txt', 'epub', 'form', 'estimate', 'book'] as const;
type Shape = (typeof shapes)[number];

const term = { source: 'Corwin', target: 'Corvino' };
const fields = {
  action: 'translation',
  source_lang: 'en',
  target_lang: 'fr',
  // The partner's terms alone, so that the output follows from the source and the engine's rule.
  glossary: JSON.stringify({ [term.source]: term.target }),
  glossary_strategy: 'replace',
};

export class FleetLoad {
  readonly partners: Partner[];
  /** Calls that met an API that was away, and were made again through the next. */
  triedAgain = 0;
  readonly #fleet: Fleet;
  readonly #options: FleetLoadOptions;
  readonly #running: Promise<unknown>;
  #enough = false;

  static async start(fleet: Fleet, options: FleetLoadOptions): Promise<FleetLoad> {
    const partners: Partner[] = [];
    for (let number = 0; number < options.partners; number++) {
      const key = await fleet.account(`Partner ${number}`, options.credits);
      partners.push({ key, number, tasks: [] });
    }
    return new FleetLoad(fleet, options, partners);
  }

  private constructor(fleet: Fleet, options: FleetLoadOptions, partners: Partner[]) {
    this.#fleet = fleet;
    this.#options = options;
    this.partners = partners;
    const clients = partners.flatMap((partner) =>
      Array.from({ length: options.atOnce }, (_, client) => this.#client(partner, client)),
    );
    this.#running = Promise.all(clients);
    // The caller that waits for it is told. Until then it must not count as an unhandled rejection.
    this.#running.catch(() => {
      this.#enough = true;
    });
  }

  get ended(): number {
    return this.partners.reduce((sum, { tasks }) => sum + tasks.length, 0);
  }

  /** Waits until so many tasks have ended; fails as soon as the load does. */
  async untilEnded(count: number): Promise<void> {
    while (this.ended < count) await Promise.race([sleep(50), this.#running]);
  }

  /** No new tasks; resolves when the last one has ended and was compared. */
  async finish(): Promise<void> {
    this.#enough = true;
    await this.#running;
  }

  async #client(partner: Partner, client: number): Promise<void> {
    for (let turn = 0; !this.#enough; turn++) {
      const number = partner.number * 100_000 + client * 1_000 + turn;
      partner.tasks.push(await this.#wholeFlow(partner, shapes[(turn + client) % shapes.length] as Shape, number));
    }
  }

  async #wholeFlow(partner: Partner, shape: Shape, number: number): Promise<EndedTask> {
    const source = sourceOf(shape, number);
    const caller = new Caller(this.#fleet, partner.key, () => this.triedAgain++);
    const idempotencyKey = `order-${number}`;
    const created = await caller.call('/tasks', source.body, idempotencyKey);
    assert.equal(created.status, 201, created.text);
    const repeated = await caller.call('/tasks', source.body, idempotencyKey);
    assert.deepEqual([repeated.replayed, repeated.text], [true, created.text], 'the same answer from another API');
    const path = `/tasks/${created.data.task_id}`;
    let task = created.data;
    for (const deadline = Date.now() + 180_000; task.status === 'pending'; task = (await caller.call(path)).data) {
      assert.ok(Date.now() < deadline, `${shape} ${number} is still ${JSON.stringify(task)}`);
      await sleep(100);
    }
    assert.equal(task.status, 'completed', `${JSON.stringify(task)}\n${this.#fleet.logsOf(task.task_id)}`);
    if (shape === 'estimate') return task;
    assert.equal(task.credits_charged, task.char_count);
    const { download_url } = (await caller.call(`${path}/download?file_id=translated`)).data;
    assert.ok(download_url.startsWith(this.#options.downloadsFrom), download_url);
    const file = await fetch(download_url);
    assert.equal(file.status, 200);
    assert.deepEqual(textsOf(new Uint8Array(await file.arrayBuffer())), source.translated);
    return task;
  }
}

type Body = string | FormData | URLSearchParams;

interface Answer {
  status: number;
  replayed: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are held by the HTTP tests
  data: any;
}

/** One partner's calls for one task, in turn through all APIs. */
class Caller {
  readonly #fleet: Fleet;
  readonly #key: string;
  readonly #missed: () => void;
  #last: Machine | undefined;

  constructor(fleet: Fleet, key: string, missed: () => void) {
    this.#fleet = fleet;
    this.#key = key;
    this.#missed = missed;
  }

  async call(path: string, body?: () => Body, idempotencyKey?: string): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    for (const deadline = Date.now() + 60_000; ; ) {
      const api = this.#fleet.apiAfter(this.#last);
      this.#last = api;
      const sent = body?.();
      if (typeof sent === 'string') headers['content-type'] = 'application/json';
      const init = sent === undefined ? { headers } : { method: 'POST', headers, body: sent };
      try {
        const response = await fetch(`${api.rootUrl}/api/v1${path}`, init);
        const text = await response.text();
        if (response.status !== 503) {
          const replayed = response.headers.get('idempotent-replayed') === 'true';
          return { status: response.status, replayed, text, data: JSON.parse(text).data };
        }
        assert.ok(response.headers.get('retry-after'), 'a 503 says when to come again');
      } catch (error) {
        // An API that is gone refuses the connection or cuts it; anything else is a fault.
        if (!(error instanceof TypeError)) throw error;
      }
      this.#missed();
      assert.ok(Date.now() < deadline, `${path} found no API for 60 s`);
      await sleep(100);
    }
  }
}

/** A source of its own for each task: an account's earlier segments would be reused. */
function sourceOf(shape: Shape, number: number): { body: () => Body; translated: string[] } {
  // Past 20,000 characters a task goes to the lane of novels.
  const text = story(shape === 'book' ? 22_000 : 900 + (number % 7) * 300, number);
  const file = shape === 'epub' || shape === 'book' ? epub(text) : Buffer.from(text);
  const translated = textsOf(file).map((block) => pseudoTranslate(block, fields.target_lang, [term]));
  const asked = shape === 'estimate' ? { action: 'token_estimate', source_lang: 'en' } : fields;
  if (shape === 'json' || shape === 'estimate') return { body: () => JSON.stringify({ ...asked, text }), translated };
  if (shape === 'form') return { body: () => new URLSearchParams({ ...fields, text }), translated };
  const body = () => {
    const form = new FormData();
    const all = { ...fields, estimated_chars: String(text.length) };
    for (const [name, value] of Object.entries(all)) form.append(name, value);
    form.append('file', new Blob([file]), shape === 'txt' ? 'harbour.txt' : 'harbour.epub');
    return form;
  };
  return { body, translated };
}

function textsOf(file: Uint8Array): string[] {
  return blocksOf(readDocument(file).document).map((block) => block.text);
}

function epub(text: string): Uint8Array<ArrayBuffer> {
  const paragraphs = text.split('\n\n').map((line) => `<p>${line}</p>`);
  const parts: Record<string, string> = {
    'META-INF/container.xml': `<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'book.opf': `<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">harbour</dc:identifier>
<dc:title>The harbour book</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>
<manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="one"/></spine></package>`,
    'one.xhtml': `<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head><body>${paragraphs.join('\n')}</body></html>`,
  };
  const stored = { name: 'mimetype', content: Buffer.from('application/epub+zip'), stored: true };
  const others = Object.entries(parts).map(([name, content]) => ({ name, content: Buffer.from(content) }));
  return new Uint8Array(createArchive([stored, ...others]));
}

/** In the database: nothing waits, every order was charged exactly once, and every balance is what the answers said. */
export async function assertChargedOnce(
  databaseUrl: string,
  load: FleetLoad,
  credits: number,
): Promise<{ tasks: number; takenAgain: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tasks } = await client.query<{ id: string; attempt: number }>('select id, attempt from tasks');
    const answered = load.partners.flatMap((partner) => partner.tasks.map((task) => task.task_id));
    assert.deepEqual(tasks.map(({ id }) => id).sort(), answered.sort(), 'one task for each order');
    const { rows: wrong } = await client.query(`
      select t.id, t.status, count(c.id)::int as charges, sum(c.amount)::int as charged, t.char_count::int
      from tasks t left join credit_transfers c on c.task_id = t.id and c.kind = 'charge'
      group by t.id
      having t.status <> 'completed' or count(c.id) <> case t.action when 'translation' then 1 else 0 end
        or coalesce(sum(c.amount), 0) <> case t.action when 'translation' then t.char_count else 0 end`);
    assert.deepEqual(wrong, [], 'completed, and charged once');
    const { rows: balances } = await client.query(`
      select a.name, b.available::int, b.reserved::int from credit_balances b join accounts a on a.id = b.account_id order by a.name`);
    assert.deepEqual(
      balances,
      load.partners.map(({ number, tasks: ended }) => ({
        name: `Partner ${number}`,
        available: credits - ended.reduce((sum, task) => sum + (task.credits_charged ?? 0), 0),
        reserved: 0,
      })),
    );
    return { tasks: tasks.length, takenAgain: tasks.filter(({ attempt }) => attempt > 1).length };
  } finally {
    await client.end();
  }
}
