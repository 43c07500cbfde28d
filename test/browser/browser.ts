/** A real browser for tests of pages. */
import { after } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/launch-browser.ts';
import { patienceMs } from '../support/patience.ts';
import { sharedPart } from '../support/shared-parts.ts';

/** One browser for all files of a test process, a fresh profile for each page. Faults of scripts and refusals of the policy are collected. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const browser = await sharedPart('browser', async () => {
    const launched = await launchBrowser();
    return { part: launched, close: () => launched.close() };
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, faults };
}
