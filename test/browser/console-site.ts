/** A service with a series and a book whose words try to get out of their place, and the way into its console. */
import { strict as assert } from 'node:assert';
import type { Page } from 'playwright-core';
import { createSignInCode } from '../../src/operators/console-session-store.ts';
import { run } from '../support/task-client.ts';
import { startTestApp, type TestAppOptions } from '../support/test-app.ts';
import { openPage } from './browser.ts';

export async function openConsoleSite(options: TestAppOptions) {
  const app = await startTestApp(options);
  const partner = await app.account({ credits: 1_000_000 });
  const text = 'The lamp on the quay was out. Nobody had lit it since Monday, and Corwin knew why.';
  const attack = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>';
  const made = await app.call('POST', '/api/v1/series', {
    key: partner.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: `The quay ${attack}`, target_lang: 'de' }),
  });
  const series = made.body.data;
  await app.call('PUT', `/api/v1/series/${series.series_id}/terms`, {
    key: partner.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ terms: [{ source: 'Corwin', target: 'Korwin' }] }),
  });
  const book = await run(app, partner.key, {
    action: 'translation',
    target_lang: 'de',
    text,
    file_name: 'The Quay.txt',
    series_id: series.series_id,
    metadata: JSON.stringify({ external_id: 'order-7', note: attack }),
  });
  const signedIn = async (pageOptions = {}): Promise<{ page: Page; faults: string[] }> => {
    const opened = await openPage(pageOptions);
    const code = await createSignInCode(app.application.database.db);
    // Not in the page itself, which would draw the overview for every test.
    const answer = await opened.page.request.get(`${app.rootUrl}/console/sign-in?code=${code}`);
    assert.equal(new URL(answer.url()).pathname, '/console');
    assert.match(await answer.text(), /Sign out/);
    return opened;
  };
  const lastAudit = async () => {
    const { rows } = await app.application.database.pool.query(
      'select action, actor from audit_log order by id desc limit 1',
    );
    return rows[0] as { action: string; actor: string };
  };
  return { app, partner, text, attack, series, book, signedIn, lastAudit };
}

/** Opens a disclosed form, fills it and sends it. */
export async function change(
  page: Page,
  opener: string,
  fields: Record<string, string>,
  button: string,
): Promise<void> {
  await page
    .locator('summary', { hasText: new RegExp(`^${opener}$`) })
    .first()
    .click();
  for (const [name, value] of Object.entries(fields)) await page.locator(`details[open] [name="${name}"]`).fill(value);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: button }).first().click()]);
}
