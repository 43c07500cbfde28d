import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSignInCode } from '../../src/operators/console-session-store.ts';
import { startTestApp } from '../support/test-app.ts';

const token = 'operator-token-operator-token-operator-token';
const app = await startTestApp({
  env: { TOLEDO_OPERATOR_TOKEN: token, TOLEDO_PUBLIC_URL: 'https://books.example', TOLEDO_TRUST_PROXY: 'true' },
});

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(app.rootUrl + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.rootUrl + path, { headers, redirect: 'manual' });

async function signIn(
  headers: Record<string, string> = {},
): Promise<{ cookie: string; csrf: string; setCookie: string }> {
  const answer = await post('/console/sign-in', { token }, headers);
  assert.equal(answer.status, 303);
  const setCookie = answer.headers.get('set-cookie') ?? '';
  const cookie = setCookie.split(';')[0] as string;
  const page = await (await get('/console/accounts', { cookie })).text();
  return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(page)?.[1] as string, setCookie };
}

test('without a session no page is shown and no change is made', async () => {
  assert.match(await (await get('/console')).text(), /Operator token/);
  for (const path of ['/console/tasks', '/console/accounts', '/console/usage.csv', '/console/system']) {
    const answer = await get(path);
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/console'], path);
  }
  const before = await accounts();
  const answer = await post('/console/accounts', { name: 'uninvited', credits: '1', rate_limit: '60', period: 'open' });
  assert.equal(answer.status, 303);
  assert.equal(await accounts(), before);
  assert.match(
    await (await get(answer.headers.get('location') ?? '')).text(),
    /session has ended, and nothing was changed/,
  );
});

test('the cookie is for this site, for HTTPS and for no script, and every sign-in gives a new session', async () => {
  const planted = `toledo_console=${'A'.repeat(43)}`;
  const first = await signIn({ cookie: planted });
  assert.match(first.setCookie, /HttpOnly; SameSite=Strict; Secure/);
  assert.notEqual(first.cookie, planted);
  assert.equal((await get('/console/tasks', { cookie: planted })).status, 303);
  const second = await signIn({ cookie: first.cookie });
  assert.notEqual(second.cookie, first.cookie);
  assert.equal((await get('/console/tasks', { cookie: first.cookie })).status, 303, 'the earlier session has ended');
  assert.equal((await post('/console/sign-out', { csrf: second.csrf }, { cookie: second.cookie })).status, 303);
  assert.equal((await get('/console/tasks', { cookie: second.cookie })).status, 303);
});

test('a change needs the token of its own session and its own site', async () => {
  const mine = await signIn();
  const theirs = await signIn();
  const order = { name: 'forged', credits: '0', rate_limit: '60', period: 'open' };
  const before = await accounts();
  for (const csrf of [undefined, '', 'x', theirs.csrf]) {
    const fields = csrf === undefined ? order : { ...order, csrf };
    assert.equal((await post('/console/accounts', fields, { cookie: mine.cookie })).status, 403, String(csrf));
  }
  const crossSite = { cookie: mine.cookie, 'sec-fetch-site': 'cross-site' };
  assert.equal((await post('/console/accounts', { ...order, csrf: mine.csrf }, crossSite)).status, 403);
  assert.equal(await accounts(), before);
  // To the page of the account, which shows its key until it is dismissed.
  assert.equal((await post('/console/accounts', { ...order, csrf: mine.csrf }, { cookie: mine.cookie })).status, 303);
  assert.equal(await accounts(), before + 1);
});

test('two operators work at once', async () => {
  const [ana, ben] = [await signIn(), await signIn()];
  const { id } = await app.account();
  const topUp = (who: typeof ana) =>
    post(
      `/console/accounts/${id}/top-up`,
      { csrf: who.csrf, credits: '10', reference: 'same' },
      { cookie: who.cookie },
    );
  const done = (await Promise.all([topUp(ana), topUp(ben)])).map((answer) => answer.headers.get('location'));
  assert.deepEqual(done.map((location) => location?.split('done=')[1]).sort(), ['booked-before', 'topped-up']);
});

test('guessing the token is stopped for the address that guesses, also for a right guess, and for no other', async () => {
  const guess = (value: string, address: string) =>
    post('/console/sign-in', { token: value }, { 'x-forwarded-for': address });
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push((await guess(`wrong ${i}`, '203.0.113.9')).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  assert.equal((await guess(token, '203.0.113.9')).status, 429);
  assert.equal((await guess(token, '203.0.113.10')).status, 303);
});

test("forms of other sites are no tries: however many an operator's browser is made to send, the operator gets in", async () => {
  const address = { 'x-forwarded-for': '203.0.113.20' };
  const { host } = new URL(app.rootUrl);
  const strangers: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://evil.books.example' },
    // Without TLS browsers send no Sec-Fetch-Site.
    { origin: 'http://evil.example' },
    { origin: `http://${host}.evil.example` },
    { origin: 'null' },
  ];
  for (let round = 0; round < 4; round++) {
    for (const headers of strangers)
      assert.equal((await post('/console/sign-in', { token: 'wrong' }, { ...address, ...headers })).status, 403);
  }
  const own: Record<string, string>[] = [{}, { origin: `http://${host}` }, { origin: 'https://books.example' }];
  for (const headers of own)
    assert.equal((await post('/console/sign-in', { token }, { ...address, ...headers })).status, 303);
  // Another site's header does not make guessing free: the right token is not looked at either.
  assert.equal((await post('/console/sign-in', { token }, { ...address, origin: 'http://evil.example' })).status, 403);
});

test('with a token, no link signs in', async () => {
  const code = await createSignInCode(app.application.database.db);
  assert.equal((await get(`/console/sign-in?code=${code}`)).headers.get('set-cookie'), null);
});

test('a sign-in link works once; where others can connect and there is no token, there is no console', async () => {
  const local = await startTestApp();
  const code = await createSignInCode(local.application.database.db);
  const use = () => fetch(`${local.rootUrl}/console/sign-in?code=${code}`, { redirect: 'manual' });
  assert.match((await use()).headers.get('set-cookie') ?? '', /toledo_console=/);
  assert.equal((await use()).status, 401);
  // As images of any page on the web would do, in a browser of this machine.
  for (const wrong of ['x', 'A'.repeat(43), `${code}A`, '%C3%A9'.repeat(43)])
    for (let image = 0; image < 5; image++)
      assert.equal((await fetch(`${local.rootUrl}/console/sign-in?code=${wrong}`)).status, 401);
  const next = await createSignInCode(local.application.database.db);
  const { status } = await fetch(`${local.rootUrl}/console/sign-in?code=${next}`, { redirect: 'manual' });
  assert.equal(status, 303, 'wrong links lock nobody out');
  const open = await startTestApp({ env: { TOLEDO_HOST: '0.0.0.0' } });
  for (const path of ['/console', '/console/sign-in', '/console/tasks'])
    assert.equal((await fetch(open.rootUrl + path)).status, 404, path);
});

async function accounts(): Promise<number> {
  const { rows } = await app.application.database.pool.query('select count(*)::int as n from accounts');
  return rows[0].n;
}
