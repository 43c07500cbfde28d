/** The pages of a partner's account with everything in them: each is accessible and fits, at two widths. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, assertReachable } from '../browser/accessibility.ts';
import { openPage } from '../browser/browser.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';

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
async function signedIn(key: string, options = {}): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage(options);
  await signIn(opened.page, key);
  return opened;
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.goto(`${app.rootUrl}/account`);
  await page.locator('[name="key"]').fill(key);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Sign in' }).click()]);
}

for (const [width, colorScheme] of [
  [360, 'light'],
  [1280, 'dark'],
] as const) {
  test(`every page of an account is accessible, fits ${width} px and runs without a fault (${colorScheme})`, async () => {
    const { page, faults } = await signedIn(partner.key, { viewport: { width, height: 800 }, colorScheme });
    const paths = [
      '',
      `/tasks/${book.task_id}`,
      '/usage',
      '/series',
      `/series/${series.series_id}`,
      '/webhooks',
      `/webhooks/${webhook.webhook_id}`,
      '/keys',
    ];
    for (const path of paths) {
      const answer = await page.goto(`${app.rootUrl}/account${path}`);
      assert.equal(answer?.status(), 200, path);
      await assertFits(page, path);
      await assertAccessible(page, path);
      await assertReachable(page, path);
      assert.equal(await page.locator('main img, main script').count(), 0, path);
    }
    assert.deepEqual(faults, []);
  });
}
