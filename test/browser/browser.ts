/** A real browser for tests of pages. It comes from the npm registry, so a bare machine has it after `npm ci`. */
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as engine, type Page } from 'playwright-core';

let browser: Browser | undefined;
after(() => browser?.close());

/** One browser for a test file, a fresh profile for each page. Faults of scripts and refusals of the policy are collected. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  browser ??= await engine.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, faults };
}
