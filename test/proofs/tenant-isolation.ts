/**
 * Two tenants ask for each other's tasks and series and for some that never existed, on every route that takes an id, and
 * cannot tell the two apart. Neither status, body and headers nor the time that an answer took may differ. Size: tasks of each
 * tenant.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openapiDocument } from '../../src/http/openapi.ts';
import { newId } from '../../src/platform/ids.ts';
import { type LeanAnswer, LeanClient, percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { size: ids, isLong } = proofRun({ short: 10, long: 1_000 });

test("another partner's task or series and one that never existed get the same answer from every route, in the same time", async (context) => {
  const figures = await proveTenantsApart(await startTestApp(), { ids });
  context.diagnostic(JSON.stringify(figures));
  assert.ok(!isLong || figures.medianDifferenceMs < 1, JSON.stringify(figures));
});

interface IsolationFigures {
  routes: number;
  requests: number;
  /** The largest difference between the medians of a route, in ms. */
  medianDifferenceMs: number;
  of: string;
}

interface Route {
  method: string;
  /** What its id is one of. */
  owned: Owned;
  path: (id: string) => string;
  name: string;
  json: (id: string) => string | undefined;
}

/** What the other parts of a path are filled with; each is valid, so that only the task decides the answer. */
const otherParts: Record<string, string> = { index: '1', link_id: newId('rdl') };

const correction = { source: 'The lamp was out.', target: 'Die Lampe war aus.' };
/** For the calls that need a body. */
const bodies: Record<string, object> = {
  'POST /api/v1/tasks/{task_id}/reader-link': {},
  'POST /api/v1/tasks/{task_id}/corrections': { corrections: [correction] },
  'PATCH /api/v1/series/{series_id}': { title: 'Mine' },
  'PUT /api/v1/series/{series_id}/terms': { terms: [{ source: 'lamp', target: 'Lampe' }] },
  'PUT /api/v1/series/{series_id}/sheet': { tense: 'present' },
  'POST /api/v1/series/{series_id}/corrections': [correction],
};

type Owned = 'task' | 'series';

interface Tenant {
  key: string;
  ids: Record<Owned, string[]>;
}

/** `ids` tasks of each tenant, in every state that a task can be in. */
async function proveTenantsApart(app: TestApp, { ids }: { ids: number }): Promise<IsolationFigures> {
  const routes = [...routesWithId(app), ...ordersWithId];
  const taking = (owned: Owned) => routes.filter((route) => route.owned === owned).length;
  assert.ok(taking('task') >= 8 && taking('series') >= 8, 'every route that takes an id is known');
  const tenants = [await makeTenant(app, ids), await makeTenant(app, ids)] as const;
  const before = await statesOf(app);
  const client = new LeanClient(1);
  const figures: IsolationFigures = { routes: routes.length, requests: 0, medianDifferenceMs: 0, of: '' };
  try {
    for (const route of routes) {
      const times: Record<'foreign' | 'unknown', number[]> = { foreign: [], unknown: [] };
      for (const [asking, owning] of [tenants, [tenants[1], tenants[0]] as const]) {
        let expected: string | undefined;
        for (const [index, foreignId] of owning.ids[route.owned].entries()) {
          // In turn first and second: whatever slows one of a pair down must not slow the same kind down every time.
          const pair = [['foreign', foreignId] as const, ['unknown', newId(prefixes[route.owned])] as const];
          for (const [kind, id] of index % 2 ? pair : pair.reverse()) {
            const json = route.json(id);
            const sent = json === undefined ? {} : { body: json, headers: { 'content-type': 'application/json' } };
            const answer = await client.send(route.method, app.rootUrl + route.path(id), { key: asking.key, ...sent });
            assert.equal(answer.status, 404, `${route.name} of a ${kind} id: ${answer.text}`);
            expected ??= visible(answer);
            assert.equal(visible(answer), expected, `${route.name} of a ${kind} id`);
            times[kind].push(answer.elapsedMs);
            figures.requests += 1;
          }
        }
      }
      const difference = Math.abs(percentile(times.foreign, 0.5) - percentile(times.unknown, 0.5));
      if (difference >= figures.medianDifferenceMs) {
        figures.medianDifferenceMs = Math.round(difference * 1000) / 1000;
        figures.of = route.name;
      }
    }
    await assertListsApart(app, tenants);
  } finally {
    client.close();
  }
  assert.deepEqual(await statesOf(app), before, 'not one task or series was changed by a stranger');
  return figures;
}

/** From the document itself, so that no route can be forgotten; a file is asked for by its name as well. */
function routesWithId(app: TestApp): Route[] {
  const { paths } = openapiDocument(app.application.server) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => /\{(task|series)_id\}/.test(path))
    .flatMap(([path, operations]) => {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      if (path.includes('download-file')) methods.push('HEAD');
      const owned: Owned = path.includes('{task_id}') ? 'task' : 'series';
      const suffixes = path.includes('download') ? ['', '?file_id=report'] : [''];
      return methods.flatMap((method) =>
        suffixes.map((suffix) => ({
          method,
          owned,
          path: (id: string) => fill(path, id) + suffix,
          name: `${method} ${path}${suffix}`,
          json: () => {
            const body = bodies[`${method} ${path}`];
            return body && JSON.stringify(body);
          },
        })),
      );
    });
}

/** A task may be ordered in a series, and of the source of another task. */
const ordersWithId: Route[] = [
  { field: 'series_id', owned: 'series' as const, source: { text: 'The lamp was out.' } },
  { field: 'source_task_id', owned: 'task' as const, source: {} },
].map(({ field, owned, source }) => ({
  method: 'POST',
  owned,
  path: () => '/api/v1/tasks',
  name: `POST /api/v1/tasks with ${field}`,
  json: (id: string) => JSON.stringify({ action: 'translation', target_lang: 'de', ...source, [field]: id }),
}));

const prefixes = { task: 'task', series: 'ser' } as const;

function fill(path: string, id: string): string {
  const isId = (name: string) => name === 'task_id' || name === 'series_id';
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (isId(name) ? id : (otherParts[name] ?? name)));
}

/** Everything a client can see, without what names the request itself or counts the calls of the key. */
function visible({ status, rawHeaders, text }: LeanAnswer): string {
  const headers: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!['x-request-id', 'date', 'ratelimit'].includes(name)) headers.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return JSON.stringify([status, headers, text.replace(/req_[0-9a-z]{26}/, '')]);
}

async function makeTenant(app: TestApp, ids: number): Promise<Tenant> {
  const { key } = await app.account({ credits: 10_000_000, rateLimitPerMinute: 100_000 });
  const taskIds: string[] = [];
  const numbers = Array.from({ length: ids }, (_, i) => i).values();
  const partner = async () => {
    for (const i of numbers) {
      const text = `The lamp on quay ${i} was out.`;
      // One in ten is still running, one in ten was cancelled, one in ten deleted; the others have files.
      if (i % 10 < 2) {
        const { task_id } = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text })).body
          .data;
        if (i % 10 === 1) await app.call('POST', `/api/v1/tasks/${task_id}/cancel`, { key });
        taskIds.push(task_id);
      } else {
        const action = i % 10 === 2 ? 'token_estimate' : 'translation';
        const { task_id } = await run(app, key, { action, target_lang: 'de', text });
        if (i % 10 === 3) await app.call('DELETE', `/api/v1/tasks/${task_id}`, { key });
        taskIds.push(task_id);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, partner));
  return { key, ids: { task: taskIds, series: await makeSeries(app, key, Math.ceil(ids / 5)) } };
}

async function makeSeries(app: TestApp, key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({ title: `Series ${n}`, source_lang: 'en', target_lang: 'de' });
    const headers = { 'content-type': 'application/json' };
    ids.push((await app.call('POST', '/api/v1/series', { key, headers, body })).body.data.series_id);
  }
  // One that has something to give away.
  await run(app, key, { action: 'translation', series_id: ids[0] ?? '', text: 'The lamp was out.' });
  return ids;
}

/** Lists hold their owner's tasks only, also with a cursor that another tenant was given. */
async function assertListsApart(app: TestApp, [first, second]: readonly [Tenant, Tenant]): Promise<void> {
  for (const path of ['/api/v1/tasks', '/api/v1/usage/ledger']) {
    const page = (await app.call('GET', `${path}?limit=5`, { key: first.key })).body.data;
    const cursor = encodeURIComponent(page.next_cursor ?? '');
    const other = (await app.call('GET', `${path}?limit=100&cursor=${cursor}`, { key: second.key })).body.data;
    const entries: { task_id: string | null }[] = other.tasks ?? other.lines;
    for (const { task_id } of entries)
      assert.ok(task_id === null || second.ids.task.includes(task_id), `${path} shows ${task_id}`);
  }
}

/** What a stranger could have changed; running tasks go on running meanwhile. */
async function statesOf(app: TestApp): Promise<unknown[]> {
  const { rows } = await app.application.database.pool.query(
    `select id, case when status in ('pending', 'completed') then 'untouched' else status end as status, purged_at
     from tasks
     union all
     select s.id, s.title || ' ' || coalesce(s.sheet::text, '') || ' ' || s.terms_version || ' ' || m.blocks, null from series s join memories m on m.series_id = s.id
     order by id`,
  );
  return rows;
}
