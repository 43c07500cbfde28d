/**
 * Every page that people see: axe finds nothing serious, nothing is wider than its window, no script fails, nothing is asked of
 * another host. Size: pages of each look. `npm run prove every-page 1000 FOLDER` also leaves a picture of each in a folder.
 */
import { strict as assert } from 'node:assert';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createSignInCode } from '../../src/operators/console-session-store.ts';
import { readChapters, sampleEpub } from '../../src/pages/samples/sample-epub.ts';
import { assertAccessible, assertFits } from '../browser/accessibility.ts';
import { openPage } from '../browser/browser.ts';
import { proofRun } from '../support/proof.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const { size, isLong, names } = proofRun({ short: 6, long: 1_000 });
const [folder] = names;
const app = await startTestApp();
const looks = [
  { width: 360, colorScheme: 'light' },
  { width: 1400, colorScheme: 'dark' },
  ...(isLong
    ? ([
        { width: 360, colorScheme: 'dark' },
        { width: 1400, colorScheme: 'light' },
      ] as const)
    : []),
] as const;

/** One of each kind first, then whatever can be reached from the front page. */
async function pagePaths(): Promise<string[]> {
  const kinds = [
    '/',
    '/docs',
    '/docs/guides/credits',
    '/docs/api/createTask',
    '/docs/objects/Task',
    '/docs/guides/errors',
  ];
  if (!isLong) return kinds;
  const found = new Set(kinds);
  for (const path of found) {
    const { text, headers } = await app.call('GET', path);
    if (!headers.get('content-type')?.startsWith('text/html')) found.delete(path);
    else for (const [, href = ''] of text.matchAll(/href="(\/(?:docs)?[^"#.]*)/g)) found.add(href);
  }
  return [...found].filter((path) => !path.startsWith('/console'));
}

async function look(page: Page, path: string, { width, colorScheme }: (typeof looks)[number]): Promise<void> {
  await assertFits(page, path);
  await assertAccessible(page, path);
  if (folder === undefined) return;
  const name = `${path.replace(/^\//, '').replaceAll('/', '-') || 'front'}.${width}.${colorScheme}.png`;
  await page.screenshot({ path: join(folder, name) });
}

if (folder !== undefined) await mkdir(folder, { recursive: true });
const paths = (await pagePaths()).slice(0, size);

for (const each of looks) {
  const { width, colorScheme } = each;
  const options = { viewport: { width, height: 900 }, colorScheme };
  test(`${paths.length} pages of front page and documentation are in order at ${width} px, ${colorScheme}`, async () => {
    const { page, faults } = await openPage(options);
    const foreign: string[] = [];
    page.on('request', (request) => request.url().startsWith(app.rootUrl) || foreign.push(request.url()));
    const busy: string[] = [];
    page.on('response', (response) => response.status() === 503 && busy.push(response.url()));
    for (const path of paths) {
      const earlier = faults.length;
      // A machine that stood still for seconds answers 503: the page is opened again, at most twice.
      for (let tries = 0; tries === 0 || (busy.length > 0 && tries < 3); tries += 1) {
        busy.length = 0;
        faults.length = earlier;
        await page.goto(app.rootUrl + path);
        await look(page, path, each);
      }
    }
    assert.deepEqual([faults, foreign], [[], []]);
  });
  if (isLong)
    test(`the reader and the console are in order at ${width} px, ${colorScheme}`, async () => {
      const { page, faults } = await openPage(options);
      for (const [name, url] of Object.entries(await readerPages())) {
        await page.goto(url);
        if (name !== 'reader-refused') await page.waitForSelector('body[data-ready]');
        if (name === 'reader-card') await page.locator('.target .term').first().click();
        if (name === 'reader-chapters') await page.click('#toggle-chapters');
        if (name === 'reader-editing') await page.locator('.block .target').nth(2).click();
        await look(page, name, each);
      }
      await page.goto(`${app.rootUrl}/console`);
      await look(page, 'console-sign-in', each);
      await page.goto(`${app.rootUrl}/console/sign-in?code=${await createSignInCode(app.application.database.db)}`);
      for (const path of ['', '/tasks', '/accounts', '/usage', '/engines', '/webhooks', '/system', '/audit']) {
        await page.goto(`${app.rootUrl}/console${path}`);
        await look(page, `/console${path}`, each);
      }
      assert.deepEqual(
        faults.filter((fault) => !/40[13]/.test(fault)),
        [],
      );
    });
}

let readable: Promise<Record<string, string>> | undefined;

/** A sample novel with names, as people get to see it. */
function readerPages(): Promise<Record<string, string>> {
  readable ??= (async () => {
    const { key } = await app.newKey((await app.account()).id, 'test');
    const text = await readFile(new URL('../../src/pages/samples/la-casa-de-los-relojes.md', import.meta.url), 'utf8');
    const about = { title: 'La casa de los relojes', author: 'Marina Olmedo', language: 'es' };
    const content = Buffer.from(sampleEpub({ ...about, chapters: readChapters(text) }));
    const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 20_000 };
    const { task_id } = await run(app, key, fields, { file: { content, fileName: 'relojes.epub' } });
    const link = async (body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const made = await app.call('POST', `/api/v1/tasks/${task_id}/reader-link`, {
        key,
        headers,
        body: JSON.stringify(body),
      });
      return made.body.data.url;
    };
    const [reading, editing] = [await link({}), await link({ editable: true })];
    return {
      reader: reading,
      'reader-card': reading,
      'reader-chapters': reading,
      'reader-editing': editing,
      'reader-refused': `${app.rootUrl}/read/rdl_x/y/`,
    };
  })();
  return readable;
}
