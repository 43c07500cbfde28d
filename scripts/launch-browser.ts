/**
 * A browser without a window. For x64 it comes from the npm registry, so a bare machine has it after `npm ci`; for other processors
 * nobody publishes one there, and the system's is taken.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as engine } from 'playwright-core';

export async function launchBrowser(): Promise<Browser> {
  return engine.launch({
    executablePath: process.arch === 'x64' ? await chromium.executablePath() : systemBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** In order of preference: the first has no window at all, and opens a page with a seventh of the others' processor time. */
const names = ['chromium-headless-shell', 'chromium', 'google-chrome'];

function systemBrowser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const programs = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = programs.find((program) => existsSync(program));
  if (found === undefined) throw new Error('Tests of pages need a browser here: install Chromium, see the README.');
  return found;
}
