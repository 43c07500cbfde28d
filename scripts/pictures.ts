/**
 * `npm run pictures`: takes the pictures of the README from a running service. It starts one with nothing set up, has a sample
 * novel translated, and looks at the reader and at the console.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { Toledo } from '../client/src/index.ts';
import { type SampleLanguage, sampleBook } from '../src/pages/samples/sample-books.ts';
import { startDemoService } from './demo-service.ts';
import { launchBrowser } from './launch-browser.ts';

const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const maxBytes = 200 * 1024;

const folder = await mkdtemp(join(tmpdir(), 'toledo-pictures-'));
const service = await startDemoService(join(folder, 'data'));
const browser = await launchBrowser();
try {
  await mkdir(pictures, { recursive: true });
  const toledo = new Toledo(service);
  const french = await translate(toledo, 'fr', 'en');
  await translate(toledo, 'es', 'en');
  // One that runs while the picture is taken.
  await toledo.createTask({ action: 'translation', ...(await ordered('en')), target_lang: 'fr' });

  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto((await toledo.readerLink(french, { editable: true })).url);
  await page.waitForSelector('[data-block], .block');
  await take(page, 'reader');
  await page.goto(service.consoleLink);
  await page.click('nav >> text=Tasks');
  await page.waitForSelector('main table');
  await take(page, 'console');
} finally {
  await browser.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns the task. */
async function translate(toledo: Toledo, language: SampleLanguage, target_lang: string): Promise<string> {
  const { file, ...order } = await ordered(language);
  const { task } = await toledo.translateFile(file, { ...order, target_lang, to: folder });
  return task.task_id;
}

async function ordered(language: SampleLanguage): Promise<{ file: string; estimated_chars: number }> {
  const { name, epub } = sampleBook(language);
  const file = join(folder, `${name}.epub`);
  await writeFile(file, epub);
  return { file, estimated_chars: 20_000 };
}

async function take(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot({ type: 'png' });
  if (picture.length > maxBytes) throw new Error(`The picture of the ${name} has ${picture.length} bytes.`);
  await writeFile(join(pictures, `${name}.png`), picture);
  process.stdout.write(`docs/pictures/${name}.png  ${picture.length} bytes\n`);
}
