/**
 * Requests made from the OpenAPI document: what it allows never fails on our side, what it forbids is always a 4xx in
 * the envelope. `app.call` validates every answer against the document. Size: requests of each kind.
 */

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import { resolveReferences } from '../../scripts/resolve-references.ts';
import { eventTypes } from '../../src/events/event.ts';
import { openapiDocument } from '../../src/http/openapi.ts';
import { languageSamples } from '../language/language-samples.ts';
import type { Answer, CallOptions } from '../support/api-client.ts';
import { proofRun } from '../support/proof.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { fitting, type Schema, unfitting } from './openapi-requests/schema-arbitraries.ts';

const { size, seed } = proofRun({ short: 150, long: 5_000, seed: 7 });
const app = await startTestApp();

test(`${size} requests that the OpenAPI document allows: no 5xx, at least 30 % 2xx per operation; ${size} that it forbids: all 4xx in the envelope`, async (context) => {
  context.diagnostic(JSON.stringify(await proveContract(app, { valid: size, invalid: size, seed })));
});

test('every other method is 405 with Allow, and every operation behind the guard is 401 without a key', async (context) => {
  context.diagnostic(JSON.stringify(await proveMethodsAndKeys(app)));
});

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  schema: Schema;
}

interface Operation {
  /** Its body is no form. */
  takesOther: boolean;
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Of the form, for the operation that has one. */
  body: Schema | undefined;
  isPublic: boolean;
}

interface Request {
  method: string;
  path: string;
  options: CallOptions;
}

interface FuzzFigures {
  seed: number;
  valid: number;
  /** Smallest share of 2xx, and whose it is. */
  leastAccepted: string;
  invalid: number;
  statuses: Record<string, number>;
}

async function proveContract(
  app: TestApp,
  { valid, invalid, seed }: { valid: number; invalid: number; seed: number },
): Promise<FuzzFigures> {
  // Requests are made for tasks and their form; what takes JSON or other ids has tests of its own.
  const operations = operationsOf(app).filter(({ path, takesOther }) => !takesOther && !/\{(?!task_id\})/.test(path));
  const account = await app.account({ credits: 1_000_000_000, rateLimitPerMinute: 100_000 });
  const pool = await makePool(app, account.key);
  const withInput = operations.filter(({ parameters, body }) => parameters.length > 0 || body);
  const shares: [share: number, id: string][] = [];
  const statuses: Record<string, number> = {};
  await inParallel(operations, async (operation) => {
    let [accepted, sent] = [0, 0];
    await check(validRequest(operation, pool), Math.ceil(valid / operations.length), seed, async (request) => {
      const answer = await send(app, account.key, await prepared(app, account.key, operation, request));
      assert.ok(answer.status < 500, `${operation.id}: ${answer.status} ${answer.text}`);
      sent += 1;
      if (answer.status < 300) accepted += 1;
    });
    shares.push([accepted / sent, operation.id]);
  });
  await inParallel(withInput, async (operation) => {
    await check(invalidRequest(operation, pool), Math.ceil(invalid / withInput.length), seed, async (request) => {
      const answer = await send(app, account.key, request);
      const where = `${operation.id} ${request.path}: ${answer.status} ${answer.text}`;
      assert.ok(answer.status >= 400 && answer.status < 500, where);
      assert.equal(answer.body?.success, false, where);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    });
  });
  const [least = 0, id] = shares.sort(([a], [b]) => a - b)[0] ?? [];
  assert.ok(least >= 0.3, `${id} accepted only ${least} of what its own document allows`);
  return { seed, valid, leastAccepted: `${Math.round(least * 100)} % ${id}`, invalid, statuses };
}

/** Every method that a path does not have is 405 with Allow; every operation behind the guard is 401 without a key. */
async function proveMethodsAndKeys(app: TestApp): Promise<{ wrongMethods: number; withoutKey: number }> {
  const operations = operationsOf(app);
  let wrongMethods = 0;
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const has = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (has.includes(method)) continue;
      const answer = await app.call(method, path.replace('{task_id}', 'task_x'));
      assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`);
      for (const each of has) assert.match(answer.headers.get('allow') ?? '', new RegExp(`\\b${each}\\b`));
      wrongMethods += 1;
    }
  }
  const guarded = operations.filter(({ isPublic }) => !isPublic);
  for (const [i, { method, path }] of guarded.entries()) {
    // One guise each, in turn: an address may fail 60 times a minute.
    const guises: Record<string, string>[] = [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer nonsense' }];
    for (const headers of [guises[i % guises.length] ?? {}]) {
      const answer = await app.call(method, path.replace('{task_id}', 'task_x'), { headers });
      assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
      assert.equal(answer.body.error.code, 'UNAUTHORIZED');
    }
  }
  return { wrongMethods, withoutKey: guarded.length };
}

function operationsOf(app: TestApp): Operation[] {
  const { paths } = resolveReferences(openapiDocument(app.application.server)) as {
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string;
          parameters?: Parameter[];
          security?: unknown[];
          requestBody?: { content: Record<string, { schema: Schema }> };
        }
      >
    >;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['multipart/form-data']?.schema,
      takesOther: operation.requestBody !== undefined && !operation.requestBody.content['multipart/form-data'],
      isPublic: operation.security?.length === 0,
    })),
  );
}

interface Pool {
  ids: readonly string[];
  eventIds: readonly string[];
  cursors: Record<string, readonly string[]>;
  /** A series into each language. */
  series: ReadonlyMap<string, string>;
}

/** Things that exist, so that a request can be about one of them. */
async function makePool(app: TestApp, key: string): Promise<Pool> {
  const finished = async (target_lang: string) =>
    (await run(app, key, { action: 'translation', target_lang, text: 'The lamp on the quay was out.' })).task_id;
  const ids: string[] = await Promise.all(['de', 'fr', 'es', 'it'].map(finished));
  const series = new Map(
    await Promise.all(
      targets.map(async (target_lang): Promise<[string, string]> => {
        const body = JSON.stringify({ title: `Into ${target_lang}`, target_lang });
        const headers = { 'content-type': 'application/json' };
        const { data } = (await app.call('POST', '/api/v1/series', { key, headers, body })).body;
        return [target_lang, data.series_id];
      }),
    ),
  );
  const cursorOf = async (path: string) =>
    (await app.call('GET', `${path}?limit=1`, { key })).body.data.next_cursor as string;
  const { events } = (await app.call('GET', '/api/v1/events', { key })).body.data;
  return {
    ids,
    eventIds: events.map((event: { id: string }) => event.id),
    cursors: {
      listTasks: [await cursorOf('/api/v1/tasks')],
      listLedger: [await cursorOf('/api/v1/usage/ledger')],
      listSeries: [await cursorOf('/api/v1/series')],
    },
    series,
  };
}

const targets = ['de', 'fr', 'zh_TW', 'EN', 'pt-BR'];

/** What a schema cannot tell: codes that exist, JSON in a string, text with something in it. */
const meanings: Record<string, fc.Arbitrary<unknown>> = {
  target_lang: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...targets) }, anyText(20)),
  source_lang: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('auto', 'ja', 'ru') }, anyText(20)),
  char_limit: fc.integer({ min: 1, max: 100_000 }).map(String),
  estimated_chars: fc.integer({ min: 1, max: 100_000 }).map(String),
  glossary: fc
    .dictionary(
      anyText(20).filter((text) => text.trim() !== ''),
      anyText(20).filter((text) => text.trim() !== ''),
      { maxKeys: 5 },
    )
    .map((value) => JSON.stringify(value)),
  outputs: fc.constantFrom('translated', 'report, xliff', 'tmx'),
  accept_draft: fc.constantFrom('true', 'false'),
  metadata: fc.dictionary(anyText(20), anyText(40), { maxKeys: 16 }).map((value) => JSON.stringify(value)),
  title: anyText(40).filter((text) => text.trim() !== ''),
  style: anyText(40).filter((text) => text.trim() !== ''),
  skip_front_matter: fc.constantFrom('true', 'false'),
  text: fc.tuple(fc.constantFrom(...Object.values(languageSamples)), anyText(200)).map((texts) => texts.join(' ')),
};

/** The same for queries. */
function queryMeanings({ eventIds }: Pool): Record<string, fc.Arbitrary<unknown>> {
  return {
    after: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('latest', '', ...eventIds) },
      fc.stringMatching(/^evt_[0-9a-z]{26}$/),
      anyText(40),
    ),
    types: fc.oneof(
      { weight: 9, arbitrary: fc.subarray([...eventTypes], { minLength: 1 }).map((types) => types.join(', ')) },
      anyText(40),
    ),
  };
}

function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme', minLength: 1, maxLength }).filter((text) => !text.includes('\0'));
}

function validRequest(operation: Operation, pool: Pool): fc.Arbitrary<Request> {
  return fc
    .record({
      id: fc.constantFrom(...pool.ids),
      query: fc.record(
        Object.fromEntries(
          operation.parameters
            .filter((parameter) => parameter.in === 'query')
            .map(({ name, schema }) => [
              name,
              fitting(schema, name === 'cursor' ? cursor(operation, pool) : queryMeanings(pool)[name]),
            ]),
        ),
        { requiredKeys: [] },
      ),
      idempotencyKey: fc.option(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 }), {
        nil: undefined,
      }),
      range: fc.option(fc.constantFrom('bytes=0-9', 'bytes=-5', 'bytes=5-', 'bytes=0-0,2-3', 'lines=1'), {
        nil: undefined,
      }),
      form: operation.body ? form(operation.body, pool) : fc.constant(undefined),
      as: fc.constantFrom<ContentType>('json', 'urlencoded', 'multipart', 'file'),
    })
    .map(({ id, query, idempotencyKey, range, form, as }) => {
      const headers: Record<string, string> = {};
      // Spaces at the ends are not part of a header's value.
      if (operation.body && idempotencyKey?.trim()) headers['idempotency-key'] = idempotencyKey.trim();
      if (operation.id === 'downloadFile' && range) headers.range = range;
      const path = operation.path.replace('{task_id}', id) + queryString(query);
      // A source that is there already needs no file, and a series has none.
      const body = form && bodyOf(form, as === 'file' && form.text === undefined ? 'multipart' : as);
      return { method: operation.method, path, options: { ...body, headers: { ...body?.headers, ...headers } } };
    });
}

function cursor({ id }: Operation, { cursors }: Pool): fc.Arbitrary<string> {
  const forged = fc
    .tuple(fc.maxSafeNat(), fc.stringMatching(/^task_[0-9a-z]{26}$/))
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...(cursors[id] ?? [''])) }, forged, anyText(40));
}

type Fields = Record<string, string>;

/** Of a task or of a series. */
function form(schema: Schema, pool: Pool): fc.Arbitrary<Fields> {
  const { file, file_name: _name, source_task_id, series_id, ...properties } = schema.properties ?? {};
  const fields = Object.entries(properties).map(([name, each]) => [name, fitting(each, meanings[name])] as const);
  if (file === undefined)
    return fc.record(Object.fromEntries(fields), { requiredKeys: ['title', 'target_lang'] }) as fc.Arbitrary<Fields>;
  assert.ok(source_task_id && series_id, 'the form of a task knows them');
  const requiredKeys = ['action', 'target_lang', 'text', 'estimated_chars'];
  const sent = fc.record(Object.fromEntries(fields), { requiredKeys }) as fc.Arbitrary<Fields>;
  const earlier = fc.option(fc.constantFrom(...pool.ids), { freq: 3, nil: undefined });
  return fc
    .tuple(sent, fc.boolean(), earlier)
    .map(([fields, inSeries, source]) => fitted(fields, { inSeries, source }, pool));
}

/** What fits only beside something else: a series of the same language, a source instead of a text, a range to begin. */
function fitted(
  fields: Fields,
  { inSeries, source }: { inSeries: boolean; source: string | undefined },
  pool: Pool,
): Fields {
  const series = inSeries ? pool.series.get(fields.target_lang ?? '') : undefined;
  const { text = '', ...others } = fields;
  return {
    ...others,
    ...(source === undefined ? { text } : { source_task_id: source }),
    ...(series === undefined ? {} : { series_id: series }),
    ...(fields.skip_front_matter === 'true' ? { char_limit: fields.char_limit ?? '500' } : {}),
  };
}

type ContentType = 'json' | 'urlencoded' | 'multipart' | 'file';

function bodyOf(fields: Fields, as: ContentType): CallOptions {
  if (as === 'json') return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
  if (as === 'urlencoded') return { body: new URLSearchParams(fields) };
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) if (as !== 'file' || name !== 'text') data.append(name, value);
  if (as === 'file') data.append('file', new Blob([fields.text ?? '']), 'novel.txt');
  return { body: data };
}

/** A task that can be cancelled can be cancelled once: every other time there is a fresh one. */
async function prepared(app: TestApp, key: string, operation: Operation, request: Request): Promise<Request> {
  if (operation.id !== 'cancelTask' && operation.id !== 'deleteTask') return request;
  const fields = { action: 'translation', target_lang: 'de-x-slow', text: 'The lamp on the quay was out.' };
  const { task_id } = (await create(app, key, fields)).body.data;
  return { ...request, path: operation.path.replace('{task_id}', task_id) };
}

function invalidRequest(operation: Operation, pool: Pool): fc.Arbitrary<Request> {
  const faults: fc.Arbitrary<(request: Request) => Request>[] = [];
  const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
  for (const { name, schema } of queries) {
    const values =
      name === 'cursor' ? fc.stringMatching(/^[!-~]{1,60}$/).filter((text) => !/^\d+$/.test(text)) : unfitting(schema);
    if (values) faults.push(values.map((value) => (request) => withPath(request, queryString({ [name]: value }))));
  }
  if (queries.length > 0)
    faults.push(
      fc
        .tuple(fc.stringMatching(/^[a-z_]{1,20}$/), fc.string())
        .filter(([name]) => !queries.some((query) => query.name === name))
        .map(
          ([name, value]) =>
            (request) =>
              withPath(request, queryString({ [name]: value })),
        ),
    );
  if (operation.path.includes('{task_id}'))
    faults.push(
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 60 })
        .filter((id) => id.isWellFormed() && !/^\.{1,2}$/.test(id))
        .map((id) => (request) => ({
          ...request,
          path: operation.path.replace('{task_id}', () => encodeURIComponent(id)),
        })),
    );
  if (operation.body) faults.push(...bodyFaults(operation.body, pool), ...headerFaults(operation));
  return fc.tuple(validRequest(operation, pool), fc.oneof(...faults)).map(([request, fault]) => fault(request));
}

function headerFaults({ parameters }: Operation): fc.Arbitrary<(request: Request) => Request>[] {
  return parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, schema }) =>
      fc
        .oneof(unfitting(schema) ?? fc.constant(''), fc.constantFrom('\u00e9', 'a\tb', '\u00ff\u00fe'))
        .map((value) => (request) => ({
          ...request,
          options: { ...request.options, headers: { ...request.options.headers, [name]: value } },
        })),
    );
}

function bodyFaults(schema: Schema, pool: Pool): fc.Arbitrary<(request: Request) => Request>[] {
  const { file, ...properties } = schema.properties ?? {};
  // With one source, so that a request without it has none.
  const whole = form(schema, pool).filter(({ source_task_id }) => source_task_id === undefined);
  const changed = (change: (fields: Fields) => Record<string, unknown>) =>
    fc.tuple(whole, fc.constantFrom<ContentType>('json', 'urlencoded', 'multipart')).map(
      ([fields, as]) =>
        (request: Request): Request => ({ ...request, options: bodyOf(change(fields) as Fields, as) }),
    );
  const wrongValues = Object.entries(properties).flatMap(([name, each]) => {
    const values = unfitting(each);
    return values ? [values.chain((value) => changed((fields) => ({ ...fields, [name]: value })))] : [];
  });
  const notJson = fc.constantFrom('{', '[1', '"', '{"a":}', 'null', '7', '"text"', '[]', '{"a":1}x', "{'a': 'b'}");
  const raw = (type: string, body: fc.Arbitrary<string>) =>
    body.map(
      (text) =>
        (request: Request): Request => ({
          ...request,
          options: { headers: { 'content-type': type }, body: text },
        }),
    );
  const incomplete = file
    ? [
        changed(({ action: _action, ...rest }) => rest),
        changed(({ text: _text, ...rest }) => rest),
        changed((fields) => ({ ...fields, text: '' })),
        changed((fields) => ({ ...fields, source_task_id: pool.ids[0] ?? '' })),
        changed((fields) => ({ ...fields, series_id: 'ser_00000000000000000000000000' })),
        changed(({ char_limit: _limit, ...rest }) => ({ ...rest, action: 'translation', skip_front_matter: 'true' })),
        notJson.chain((glossary) => changed((fields) => ({ ...fields, glossary }))),
      ]
    : [
        changed(({ title: _title, ...rest }) => rest),
        changed((fields) => ({ ...fields, title: ' ' })),
        changed(({ target_lang: _lang, ...rest }) => rest),
        changed((fields) => ({ ...fields, source_lang: 'de', target_lang: 'de' })),
      ];
  return [
    ...wrongValues,
    ...incomplete,
    fc
      .stringMatching(/^[a-z_]{1,20}$/)
      .filter((name) => !(name in properties) && name !== 'file')
      .chain((name) => changed((fields) => ({ ...fields, [name]: 'x' }))),
    notJson.chain((metadata) => changed((fields) => ({ ...fields, metadata }))),
    raw('application/json', fc.oneof(notJson, fc.string())),
    raw('multipart/form-data; boundary=x', fc.string()),
    raw('multipart/form-data', fc.string()),
    raw('text/plain', fc.string()),
    raw('application/xml', fc.string()),
    raw('application/x-www-form-urlencoded', fc.string({ unit: 'binary-ascii' })),
  ];
}

function withPath(request: Request, query: string): Request {
  return { ...request, path: request.path.replace(/\?.*$/s, '') + query };
}

function queryString(query: Record<string, unknown>): string {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

function send(app: TestApp, key: string, { method, path, options }: Request): Promise<Answer> {
  return app.call(method, path, { key, ...options });
}

/** Two at a time: the operations are independent, and the server has two cores. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const runner = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all([runner(), runner(), runner()]);
}

async function check<T>(
  arbitrary: fc.Arbitrary<T>,
  numRuns: number,
  seed: number,
  predicate: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, predicate), { numRuns, seed, endOnFailure: false, maxSkipsPerRun: 10 });
}
