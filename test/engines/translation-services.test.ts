import { strict as assert } from 'node:assert';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createEngine } from '../../src/engines/create-engine.ts';
import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';

/** What a service was asked, and what it is to answer next instead of a translation. */
interface Simulator {
  url: string;
  asked: { path: string; body: string; headers: IncomingMessage['headers'] }[];
  next: { status: number; body: string; headers?: Record<string, string> }[];
}

/** Upper case is the translation; markup is kept as the services keep it. */
const translate = (text: string): string =>
  text.replace(/(<[^>]*>|&\w+;)|([^<&]+)/g, (_all, mark, words) => mark ?? words.toUpperCase());

async function simulate(answer: (path: string, body: string) => unknown): Promise<Simulator> {
  const simulator: Simulator = { url: '', asked: [], next: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url ?? '';
    simulator.asked.push({ path, body, headers: request.headers });
    const scripted = path.includes('languages') || path.includes('glossaries') ? undefined : simulator.next.shift();
    const status = scripted?.status ?? (request.method === 'DELETE' ? 204 : path.includes('glossaries') ? 201 : 200);
    response.writeHead(status, { 'content-type': 'application/json', ...scripted?.headers });
    response.end(scripted?.body ?? (status === 204 ? '' : JSON.stringify(answer(path, body))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  simulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return simulator;
}

const libre = await simulate((path, body) => {
  if (path === '/languages')
    return [
      { code: 'fr', targets: ['en', 'zh'] },
      { code: 'en', targets: ['fr'] },
    ];
  const { q } = JSON.parse(body) as { q: string[] };
  return { translatedText: q.map(translate) };
});
const deepl = await simulate((path, body) => {
  if (path.includes('glossaries')) {
    return {
      glossary_id: 'g-1',
      ready: true,
      name: 'x',
      source_lang: 'fr',
      target_lang: 'en',
      creation_time: '2026-01-01T00:00:00Z',
      entry_count: 1,
    };
  }
  const texts = body.startsWith('{')
    ? (JSON.parse(body) as { text: string[] }).text
    : new URLSearchParams(body).getAll('text');
  return {
    translations: texts.map((text) => ({
      text: translate(text),
      detected_source_language: 'FR',
      billed_characters: 1,
    })),
  };
});

async function engineOf(entry: Record<string, unknown>): Promise<Engine> {
  const [config] = parseEngines(JSON.stringify({ engines: [{ name: 'service', ...entry }] })).engines;
  assert.ok(config);
  return await createEngine(config);
}

const services = {
  libretranslate: {
    simulator: libre,
    engine: await engineOf({ kind: 'libretranslate', base_url: libre.url, api_key: 'libre-secret-key-1' }),
  },
  deepl: {
    simulator: deepl,
    engine: await engineOf({ kind: 'deepl', base_url: deepl.url, api_key: 'deepl-secret-key-1:fx' }),
  },
};
after(() => services.deepl.engine.close?.());

const request = (changes: Partial<TranslateRequest> = {}): TranslateRequest => ({
  sourceLang: 'fr',
  targetLang: 'en',
  blocks: [
    { id: 'a', text: 'Une <12>montre</12> d’argent<13/> & <or>.' },
    { id: 'b', text: 'Il pleut.\nIl neige.' },
  ],
  terms: [],
  roster: [],
  context: { before: [], after: [] },
  ...changes,
});
const signal = (): AbortSignal => new AbortController().signal;

for (const [kind, { simulator, engine }] of Object.entries(services)) {
  test(`${kind}: every block comes back under its id, with its tags, its line breaks and its own angle brackets`, async () => {
    const { translations } = await engine.translate(request(), signal());
    assert.equal(translations.get('a'), 'UNE <12>MONTRE</12> D’ARGENT<13/> & <OR>.');
    assert.equal(translations.get('b'), 'IL PLEUT.\nIL NEIGE.');
  });

  test(`${kind}: faults are told apart by kind, with status and words, without the key and the text`, async () => {
    const cases = [
      { status: 429, kind: 'rate-limited' },
      { status: 403, kind: 'rejected' },
      { status: 503, kind: 'overloaded' },
      ...(kind === 'deepl' ? [{ status: 456, kind: 'spend-limit' }] : [{ status: 400, kind: 'rejected' }]),
    ];
    for (const { status, kind: expected } of cases) {
      const message = `Invalid key ${kind === 'deepl' ? 'deepl-secret-key-1:fx' : 'libre-secret-key-1'} for "Une montre en argent perdue"`;
      simulator.next.push({
        status,
        body: JSON.stringify({ error: message, message }),
        headers: status === 429 ? { 'retry-after': '7' } : {},
      });
      const text = 'Une montre en argent perdue';
      const fault = await engine.translate(request({ blocks: [{ id: 'a', text }] }), signal()).then(
        () => assert.fail('no fault'),
        (error) => error as EngineError,
      );
      assert.ok(fault instanceof EngineError, String(fault));
      assert.deepEqual([fault.kind, fault.status], [expected, status], fault.message);
      assert.doesNotMatch(fault.message, /secret-key|montre en argent/);
    }
  });

  test(`${kind}: a server that is not there is a transport fault`, async () => {
    const entry = { kind, base_url: 'http://127.0.0.1:9', api_key: 'k' };
    await assert.rejects(
      (await engineOf(entry)).translate(request(), signal()),
      (error: EngineError) => error.kind === 'transport',
    );
  });
}

test('libretranslate: a span that it invents leaves nothing behind, and no text in angle brackets goes with it', async () => {
  const inventing = await simulate((path) =>
    path === '/languages'
      ? [{ code: 'fr', targets: ['en'] }]
      : { translatedText: ['A <span id="t1">watch</span> of <span>silver</span> &amp; &lt;gold&gt;.'] },
  );
  const engine = await engineOf({ kind: 'libretranslate', base_url: inventing.url });
  const blocks = [{ id: 'a', text: 'Une <1>montre</1> d’argent & <or>.' }];
  const { translations } = await engine.translate(request({ blocks }), signal());
  assert.equal(translations.get('a'), 'A watch of silver & <gold>.');
});

test('libretranslate: a caller who leaves before the languages are known takes no other one along', async () => {
  const engine = await engineOf({ kind: 'libretranslate', base_url: libre.url });
  const leaving = new AbortController();
  const [left, stayed] = [engine.translate(request(), leaving.signal), engine.translate(request(), signal())];
  leaving.abort(new Error('cancelled'));
  await assert.rejects(left, /cancelled/);
  assert.equal((await stayed).translations.size, 2);
});

test('libretranslate: an answer that is no list of languages is a passing fault, and asked for again', async () => {
  let lists = 0;
  const starting = await simulate((path, body) => {
    if (path !== '/languages') return { translatedText: (JSON.parse(body) as { q: string[] }).q.map(translate) };
    return lists++ === 0 ? { status: 'starting' } : [{ code: 'fr', targets: ['en'] }];
  });
  const engine = await engineOf({ kind: 'libretranslate', base_url: starting.url });
  await assert.rejects(engine.translate(request(), signal()), { kind: 'overloaded' });
  assert.equal((await engine.translate(request(), signal())).translations.size, 2);
});

test('libretranslate: the key travels in the body, and the codes are those of the server', async () => {
  await services.libretranslate.engine.translate(request({ targetLang: 'zh-Hans' }), signal());
  const last = JSON.parse(libre.asked.at(-1)?.body ?? '{}');
  assert.deepEqual([last.api_key, last.source, last.target], ['libre-secret-key-1', 'fr', 'zh']);
  await assert.rejects(
    services.libretranslate.engine.translate(request({ targetLang: 'ja' }), signal()),
    /no fr to ja/,
  );
});

test('deepl: the terms of a passage are a glossary of exactly those terms, made once', async () => {
  const before = deepl.asked.length;
  const terms = [{ source: 'montre', target: 'watch' }];
  await services.deepl.engine.translate(request({ terms }), signal());
  await services.deepl.engine.translate(request({ terms }), signal());
  const asked = deepl.asked.slice(before);
  const made = asked.filter(({ path }) => path.includes('glossaries'));
  assert.equal(made.length, 1);
  assert.match(decodeURIComponent((made[0]?.body ?? '').replaceAll('+', ' ')), /montre\twatch/);
  assert.ok(asked.filter(({ path }) => path.includes('translate')).every(({ body }) => /g-1/.test(body)));
});
