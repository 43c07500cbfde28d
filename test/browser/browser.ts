/**
 * A real browser for tests of pages. For x64 it comes from the npm registry, so a bare machine has it after `npm ci`; for other
 * processors nobody publishes one there, and the system's is taken.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as engine, type Page } from 'playwright-core';
import { patienceMs } from '../support/patience.ts';
import { sharedPart } from '../support/shared-parts.ts';

/** One browser for all files of a test process, a fresh profile for each page. Faults of scripts and refusals of the policy are collected. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const browser = await sharedPart('browser', async () => {
    const launched = await launch();
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

async function launch(): Promise<Browser> {
  return engine.launch({
    executablePath: process.arch === 'x64' ? await chromium.executablePath() : systemBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

function systemBrowser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const programs = folders.flatMap((folder) => ['chromium', 'google-chrome'].map((name) => join(folder, name)));
  const found = programs.find((program) => existsSync(program));
  if (found === undefined) throw new Error('Tests of pages need a browser here: install Chromium, see the README.');
  return found;
}
