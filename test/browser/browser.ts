/** A real browser for tests of pages. */
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/launch-browser.ts';
import { patienceMs } from '../support/patience.ts';
import { sharedPart } from '../support/shared-parts.ts';

interface Profile {
  context: BrowserContext;
  /** Where its pages have been, and may have stored something. */
  origins: Set<string>;
}

/** A new profile and the first page in it cost a second of processor time, so an emptied one is used again. */
class Profiles {
  readonly #browser: Browser;
  readonly #idle = new Map<string, Profile[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** An empty page in a profile where nothing is stored. */
  async take(options: BrowserContextOptions): Promise<{ page: Page; profile: Profile }> {
    const profile = this.#idleOf(options).pop();
    const [page] = profile?.context.pages() ?? [];
    if (profile === undefined || page === undefined) {
      const context = await this.#browser.newContext(options);
      return { page: await context.newPage(), profile: { context, origins: new Set() } };
    }
    const { context, origins } = profile;
    const session = await context.newCDPSession(page);
    for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    await context.clearCookies();
    return { page, profile };
  }

  /** The next page is opened before the others are closed, so that the process which draws them stays. */
  async giveBack(options: BrowserContextOptions, profile: Profile): Promise<void> {
    const used = profile.context.pages();
    await profile.context.newPage();
    for (const page of used) await page.close();
    this.#idleOf(options).push(profile);
  }

  #idleOf(options: BrowserContextOptions): Profile[] {
    const key = JSON.stringify(options);
    const idle = this.#idle.get(key) ?? [];
    this.#idle.set(key, idle);
    return idle;
  }
}

/** One browser for all files of a test process, an empty profile for each page. Faults of scripts and refusals of the policy are collected. */
export async function openPage({
  viewport = { width: 1280, height: 800 },
  ...options
}: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const profiles = await sharedPart('browser', async () => {
    const browser = await launchBrowser();
    return { part: new Profiles(browser), close: () => browser.close() };
  });
  const { page, profile } = await profiles.take(options);
  after(() => profiles.giveBack(options, profile));
  if (viewport) await page.setViewportSize(viewport);
  page.on('framenavigated', (frame) => {
    if (frame.url().startsWith('http')) profile.origins.add(new URL(frame.url()).origin);
  });
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

/** `page.waitForFunction` asks a second time by `eval`, which the policy of our pages forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(`Boolean(${expression})`))) await sleep(100);
}
