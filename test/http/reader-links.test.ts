import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { resumeAccount, suspendAccount } from '../../src/operators/account-changes.ts';
import { openForOperator } from '../../src/operators/task-changes.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const task = await (async () => {
  const { key } = await app.newKey(account.id, 'test');
  return await run(app, key, {
    action: 'translation',
    text: 'Ana abrió la carta.\n\nNadie la vio.',
    source_lang: 'es',
    target_lang: 'en',
  });
})();

async function link(
  options: object = {},
): Promise<{ url: string; path: string; id: string; key: string; prefix: string }> {
  const { key, prefix } = await app.newKey(account.id, 'test');
  const { body, status } = await app.call('POST', `/api/v1/tasks/${task.task_id}/reader-link`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(options),
  });
  assert.equal(status, 201);
  return { url: body.data.url, path: new URL(body.data.url).pathname, id: body.data.link_id, key, prefix };
}

const book = (path: string) => app.call('GET', `${path}book.json`);

test('a link opens the page and the book without a key, and says nothing of the account', async () => {
  const { path } = await link();
  const page = await app.call('GET', path);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
  const { body, text } = await book(path);
  assert.equal(body.data.chapters.length, 1);
  assert.ok(!text.includes(account.id) && !text.includes('key_'));
  assert.equal((await app.call('GET', `${path}chapters/0`)).body.data.blocks[0].source, 'Ana abrió la carta.');
  assertError(await app.call('GET', `${path}chapters/7`), 404, 'NOT_FOUND');
});

test('a link that lost its final slash opens the same page', async () => {
  const { url } = await link();
  const page = await fetch(url.slice(0, -1), { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.redirected, page.url], [200, true, url]);
  assert.match(await page.text(), /<main/);
});

test('a tampered, expired or revoked link is 403, for people as a page', async () => {
  const good = await link();
  for (const path of [
    good.path.replace(/.\/$/, good.path.at(-2) === 'A' ? 'B/' : 'A/'),
    good.path.replace('rdl_', 'rdl_0').replace(/(rdl_.{26})./, '$1'),
    '/read/x/y/',
  ]) {
    assertError(await book(path), 403, 'READER_LINK_INVALID');
    const page = await app.call('GET', path);
    assert.equal(page.status, 403);
    assert.match(page.text, /<h1>This link does not work<\/h1>/);
  }
  const other = await link();
  const swapped = good.path.replace(good.id, other.id);
  assertError(await book(swapped), 403, 'READER_LINK_INVALID');
  const revoked = await app.call('DELETE', `/api/v1/tasks/${task.task_id}/reader-links/${good.id}`, { key: good.key });
  assert.equal(revoked.body.data.revoked, 1);
  assertError(await book(good.path), 403, 'READER_LINK_INVALID');
  assert.equal((await book(other.path)).status, 200);
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}/reader-links`, { key: good.key });
  assertError(await book(other.path), 403, 'READER_LINK_INVALID');
  const brief = await link({ expires_in: 1 });
  while ((await book(brief.path)).status !== 403);
  assertError(await book(brief.path), 403, 'READER_LINK_EXPIRED');
});

test('a link for reading cannot change anything', async () => {
  const { path } = await link();
  const change = (where: string, body: object) =>
    app.call('POST', `${path}${where}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assertError(
    await change('corrections', { block_id: 'b1', source: 'Ana abrió la carta.', target: 'x' }),
    403,
    'READER_LINK_INVALID',
  );
  assertError(await change('terms', { source: 'Ana', from: 'Ana', to: 'x' }), 403, 'READER_LINK_INVALID');
});

test('another partner can neither make nor revoke a link', async () => {
  const other = await app.account();
  const path = `/api/v1/tasks/${task.task_id}`;
  assertError(await app.call('POST', `${path}/reader-link`, { key: other.key }), 404, 'NOT_FOUND');
  assertError(await app.call('DELETE', `${path}/reader-links`, { key: other.key }), 404, 'NOT_FOUND');
});

test('the links of a suspended account end, page and book, and come back with the account; the operator still reads', async () => {
  const { path } = await link({ editable: true });
  const { db } = app.application.database;
  const correct = () =>
    app.call('POST', `${path}corrections`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ block_id: 'b1', source: 'Ana abrió la carta.', target: 'Ana opened the letter.' }),
    });
  await suspendAccount(db, 'test', account.id, 'unpaid');
  const page = await app.call('GET', path);
  assert.equal(page.status, 403);
  assert.match(page.text, /<h1>This link does not work<\/h1>/);
  assert.ok(!page.text.includes('suspend'), 'a reader is not told how things stand');
  for (const part of ['book.json', 'chapters/0', 'live/1', 'terms/0', 'search?q=Ana', 'download'])
    assertError(await app.call('GET', `${path}${part}`), 403, 'READER_LINK_INVALID', {}, part);
  assertError(await correct(), 403, 'READER_LINK_INVALID');
  const operators = await openForOperator(db, 'test', task.task_id, app.application.secrets.urlSigningKey);
  assert.equal((await book(operators)).status, 200);
  await resumeAccount(db, 'test', account.id);
  assert.equal((await app.call('GET', path)).status, 200);
  assert.equal((await book(path)).status, 200);
  assert.equal((await correct()).body.data.taken, 1);
});

test('a link that is asked for too much is 429 with Retry-After, for people as a page; other links go on', async () => {
  const [busy, other] = [await link({ editable: true }), await link({ editable: true })];
  const replace = () =>
    app.call('POST', `${busy.path}terms`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'Ana', from: 'zzz', to: 'Anna' }),
    });
  const answers = [];
  for (let i = 0; i < 12; i++) answers.push(await replace());
  const refused = answers.find(({ status }) => status === 429);
  assert.ok(refused, 'ten times a minute, and not for ever');
  assertError(refused, 429, 'RATE_LIMITED');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  let page = await app.call('GET', busy.path);
  while (page.status === 200) page = await app.call('GET', busy.path);
  assert.equal(page.status, 429);
  assert.match(page.text, /<h1>One moment, please<\/h1>/);
  assert.match(page.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await book(other.path)).status, 200);
  // One in a thousand links ends with an A already.
  const forged = `${busy.path.slice(0, -3)}${busy.path.at(-3) === 'A' ? 'B' : 'A'}A/`;
  assertError(await book(forged), 403, 'READER_LINK_INVALID', {}, 'nobody without the link can use it up');
});

test('a link dies with the key that asked for it and with the text', async () => {
  const { path, prefix } = await link();
  await app.application.database.pool.query('update api_keys set revoked_at = now() where prefix = $1', [prefix]);
  assertError(await book(path), 403, 'READER_LINK_INVALID');
  const last = await link();
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}`, { key: last.key });
  assertError(await book(last.path), 403, 'READER_LINK_INVALID');
});

test('a name that is fixed in the reader is a corrected term of the series, and later books have it', async () => {
  const { key } = await app.newKey(account.id, 'test');
  const send = (method: string, path: string, body: object) =>
    app.call(method, path, { key, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const series = (await send('POST', '/api/v1/series', { title: 'El faro', source_lang: 'es', target_lang: 'en' })).body
    .data;
  const glossary = { 'Puerto Calmo': { target: 'Calm Harbour', type: 'place' } };
  const volume = (text: string, more: object = {}) =>
    run(app, key, { action: 'translation', target_lang: 'en', series_id: series.series_id, text, ...more });
  const first = await volume('Ana vino de Puerto Calmo.\n\nNadie la vio.', { glossary });
  const made = await send('POST', `/api/v1/tasks/${first.task_id}/reader-link`, { editable: true });
  const { pathname } = new URL(made.body.data.url);
  const fix = { source: 'Puerto Calmo', from: 'Calm Harbour', to: 'Stillhaven' };
  assert.equal((await send('POST', `${pathname}terms`, fix)).body.data.changed, 1);
  assert.equal((await book(pathname)).body.data.terms[0].target, 'Stillhaven', 'the entry says so after a reload');
  const { terms } = (await app.call('GET', `/api/v1/series/${series.series_id}/terms`, { key })).body.data;
  const term = terms.find(({ source }: { source: string }) => source === 'Puerto Calmo');
  assert.deepEqual([term.target, term.origin, term.type], ['Stillhaven', 'corrected', 'place']);
  const second = await volume('Ana vino de Puerto Calmo.\n\nPuerto Calmo dormía.');
  const { body } = await app.call('GET', `/api/v1/tasks/${second.task_id}/chapters/1`, { key });
  const [kept, fresh] = body.data.blocks.map(({ translation }: { translation: string }) => translation);
  assert.match(kept, /Stillhaven/);
  assert.match(fresh, /Stillhaven/);
});
