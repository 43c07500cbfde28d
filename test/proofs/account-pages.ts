/** The pages of a partner's account with everything in them: each is accessible and fits, at two widths. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertAccessible, assertFits, assertReachable } from '../browser/accessibility.ts';
import { openAccountSite } from '../browser/account-site.ts';

const { app, partner, series, webhook, book, signedIn } = await openAccountSite();

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
