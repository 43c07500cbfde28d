/**
 * The console with everything that a partner can put into it. Every page is accessible and fits at two widths. No hostile text does
 * anything. No other site locks the operator out.
 */
import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, assertReachable } from '../browser/accessibility.ts';
import { openPage } from '../browser/browser.ts';
import { openConsoleSite } from '../browser/console-site.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { eventually } from '../support/workers.ts';

const { app, text, partner, attack, series, book, signedIn } = await openConsoleSite({ own: true });
/** Each in a file name, an account's name, metadata, an error and a reason. */
const attacks = [
  attack,
  '</title></h1><svg/onload=alert(3)>',
  'javascript:alert(4)//<a href="javascript:alert(5)">x</a>',
  '" autofocus onfocus="alert(6)" x="',
  "' style='position:fixed' onmouseover='alert(7)",
  '</script><script src=//127.0.0.1:1/x.js></script>',
  '{{7*7}}<%= 7*7 %><!--',
  '\u202Etxt.exe\u2066<b>bold</b>',
  '&lt;script&gt;alert(8)&lt;/script&gt;&#60;img src=x onerror=alert(9)&#62;',
  '<meta http-equiv=refresh content="0;url=http://127.0.0.1:1/"><base href=//127.0.0.1:1/>',
  '<form action=//127.0.0.1:1/><button>Sign out',
  '<iframe srcdoc="<script>parent.alert(10)</script>">',
];

for (const [width, colorScheme] of [
  [360, 'light'],
  [1400, 'dark'],
] as const) {
  test(`every page of the console is accessible, fits ${width} px and runs without a fault (${colorScheme})`, async () => {
    const { page, faults } = await signedIn({ viewport: { width, height: 800 }, colorScheme });
    const paths = [
      '',
      '/tasks',
      `/tasks/${book.task_id}`,
      '/accounts',
      `/accounts/${partner.id}`,
      '/usage',
      '/series',
      `/series/${series.series_id}`,
      '/engines',
      '/webhooks',
      '/system',
      '/audit',
    ];
    for (const path of paths) {
      const answer = await page.goto(`${app.rootUrl}/console${path}`);
      assert.equal(answer?.status(), 200, path);
      await assertFits(page, path);
      await assertAccessible(page, path);
      await assertReachable(page, path);
    }
    assert.deepEqual(faults, []);
  });
}

test(`none of ${attacks.length} hostile texts does anything, wherever the console shows it`, async () => {
  const windows = await Promise.all([signedIn(), signedIn(), signedIn()]);
  // Below every check: some of these texts would never get so far.
  const pool = new pg.Client({ connectionString: app.databaseUrl });
  await pool.connect();
  await pool.query('set session_replication_role = replica');
  const today = `(now() at time zone 'UTC')::date`;
  const shown = await Promise.all(
    attacks.map(async (hostile, n) => {
      const account = await app.account({ credits: 1_000 });
      const metadata = JSON.stringify({ external_id: `attack-${n}`, [hostile.slice(0, 40)]: hostile });
      const task = await run(app, account.key, { action: 'translation', target_lang: 'de', text, metadata });
      return { hostile, accountId: account.id, taskId: task.task_id, charged: task.credits_charged };
    }),
  );
  for (const { hostile, accountId, taskId } of shown) {
    await pool.query(
      `update accounts set name = $2, name_key = $1 || $2, suspended_at = now(), suspended_reason = $2 where id = $1`,
      [accountId, hostile],
    );
    await pool.query(
      `update tasks set file_name = $2, engine_fault = $2, status = 'failed', stage = 'failed', progress = 0.5, credits_charged = 0,
         error_code = $2, error_message = $2 where id = $1`,
      [taskId, hostile],
    );
    await pool.query(`insert into task_log (task_id, attempt, level, text) values ($1, 1, 'warn', $2)`, [
      taskId,
      hostile,
    ]);
    await pool.query(
      `insert into usage_days (day, account_id, action, source_lang, target_lang, sandbox) values (${today}, $1, $2, $2, $2, false)`,
      [accountId, hostile],
    );
    await pool.query(
      `insert into engine_usage_days (day, account_id, engine, calls, failed_calls, input_tokens, cached_input_tokens, output_tokens)
       values (${today}, $1, $2, 1, 0, 1, 0, 1)`,
      [accountId, hostile],
    );
    await pool.query(
      `insert into audit_log (actor, action, subject, account_id, details) values ($2, $2, $2, $1, json_build_object('x', $2::text))`,
      [accountId, hostile],
    );
  }
  const visit = async ({ page }: { page: Page }, path: string, expected: readonly string[]) => {
    const answer = await page.goto(`${app.rootUrl}/console${path}`);
    assert.ok([200, 404].includes(answer?.status() ?? 0), `${path}: ${answer?.status()}`);
    assert.equal(await page.locator('main img, main iframe, main script, main svg[onload], base').count(), 0, path);
    assert.equal(await page.locator('main form[action^="//"], [onfocus], [onmouseover], [onerror]').count(), 0, path);
    assert.equal(new URL(page.url()).origin, app.rootUrl);
    const words = (await page.locator('main').textContent()) ?? '';
    for (const hostile of expected) assert.ok(words.includes(hostile), `${path} shows it as it is: ${hostile}`);
  };
  const visits: [path: string, expected: readonly string[]][] = [
    ...['/tasks?status=failed', '/accounts', '/usage', '/audit'].map((path): [string, string[]] => [path, attacks]),
    ['', []],
    ...shown.flatMap(({ hostile, accountId, taskId }): [string, string[]][] => [
      [`/tasks/${taskId}`, [hostile]],
      [`/accounts/${accountId}`, [hostile]],
      [`/tasks?q=${encodeURIComponent(hostile)}`, []],
      [`/usage?account=${encodeURIComponent(hostile)}`, []],
    ]),
  ];
  // In several windows, since most of a visit is waiting.
  await Promise.all(
    windows.map(async (window) => {
      for (let next = visits.pop(); next !== undefined; next = visits.pop()) await visit(window, ...next);
    }),
  );
  // As it was: the books of every test must balance.
  for (const { taskId, charged } of shown)
    await pool.query(
      `update tasks set status = 'completed', stage = 'completed', progress = 1, credits_charged = $2, error_code = null,
         error_message = null where id = $1`,
      [taskId, charged],
    );
  await pool.end();
  assert.deepEqual(
    windows.flatMap(({ faults }) => faults).filter((fault) => !fault.includes('404')),
    [],
  );
});

test("another site's page with images and forms that try to sign in does not lock the operator out", async () => {
  const token = 'operator-token-operator-token-operator-token';
  const guarded = await startTestApp({ env: { TOLEDO_OPERATOR_TOKEN: token } });
  const tries = Array.from({ length: 15 }, (_, n) => n);
  const images = tries.map((n) => `<img src="${guarded.rootUrl}/console/sign-in?code=${n}">`);
  const forms = tries.map(
    (
      n,
    ) => `<iframe name="f${n}"></iframe><form target="f${n}" method="post" action="${guarded.rootUrl}/console/sign-in">
      <input name="token" value="${n}"></form>`,
  );
  const attack = `${images}${forms}<script>for (const form of document.forms) form.submit();</script>`;
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(attack));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  after(() => site.close());
  const { page } = await openPage();
  const answered: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') answered.push(response.status());
  });
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await eventually(async () => answered.length === tries.length, 'the answers to all forms');
  assert.deepEqual(new Set(answered), new Set([403]));
  // The console's own form, in the same browser and from the same address.
  await page.goto(`${guarded.rootUrl}/console`);
  await page.locator('[name="token"]').fill(token);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Sign in' }).click()]);
  assert.equal(await page.locator('[name="token"]').count(), 0);
  assert.ok((await page.getByRole('button', { name: 'Sign out' }).count()) > 0);
});
