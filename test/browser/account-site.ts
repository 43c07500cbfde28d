/** A partner's account with something on every page, for tests of `/account`. */
import { strict as assert } from 'node:assert';
import type { Page } from 'playwright-core';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { openPage } from './browser.ts';

export async function openAccountSite() {
  const app = await startTestApp({ env: localWebhooks });
  const receiver = await startWebhookReceiver();
  const partner = await app.account({ credits: 1_000_000, rateLimitPerMinute: 1_000 });
  const json = { 'content-type': 'application/json' };
  const attack = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>';
  const post = async (path: string, key: string, body: object) => {
    const made = await app.call('POST', `/api/v1${path}`, { key, headers: json, body: JSON.stringify(body) });
    assert.equal(made.status, 201, made.text);
    return made.body.data;
  };
  const series = await post('/series', partner.key, { title: `The harbour ${attack}`, target_lang: 'de' });
  await app.call('PUT', `/api/v1/series/${series.series_id}/terms`, {
    key: partner.key,
    headers: json,
    body: JSON.stringify({ terms: [{ source: 'Corwin', target: 'Korwin' }] }),
  });
  const webhook = await post('/webhooks', partner.key, {
    url: receiver.url,
    events: ['task.completed'],
    description: attack,
  });

  const book = await run(app, partner.key, {
    action: 'translation',
    target_lang: 'de',
    text: 'The lamp on the quay was out. Nobody had lit it since Monday, and Corwin knew why.',
    file_name: 'quay.txt',
    series_id: series.series_id,
    metadata: { external_id: 'order-7', note: attack },
  });
  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.goto(`${app.rootUrl}/account`);
    await page.locator('[name="key"]').fill(key);
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Sign in' }).click()]);
  };
  const signedIn = async (key: string, options = {}): Promise<{ page: Page; faults: string[] }> => {
    const opened = await openPage(options);
    // Not in the page itself, which would draw two pages for every test.
    const answer = await opened.page.request.post(`${app.rootUrl}/account/sign-in`, { form: { key } });
    assert.equal(new URL(answer.url()).pathname, '/account');
    assert.match(await answer.text(), /Sign out/);
    return opened;
  };
  return { app, receiver, partner, attack, series, webhook, book, signIn, signedIn };
}
