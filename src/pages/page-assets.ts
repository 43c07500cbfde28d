/**
 * Styles and browser modules, read once at start. The modules are TypeScript: Node takes their types out, so there is no build
 * step. Their addresses carry a hash of all of them, so a browser may keep a file for ever and relative imports stay inside
 * one version.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';

export interface Asset {
  body: string;
  mediaType: string;
}

export interface PageAssets {
  version: string;
  get(name: string): Asset | undefined;
  /** Where a page finds it. */
  url(name: string): string;
}

const mediaTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const assetsPath = '/assets';

export function loadPageAssets(): PageAssets {
  const folder = new URL('./assets/', import.meta.url);
  const assets = new Map<string, Asset>();
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    const mediaType = mediaTypes[extname(name)];
    if (mediaType === undefined || name.endsWith('.d.ts')) continue;
    const text = readFileSync(new URL(name, folder), 'utf8');
    const body = name.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    hash.update(name).update('\0').update(body).update('\0');
    assets.set(name, { body, mediaType });
  }
  const version = hash.digest('hex').slice(0, 16);
  return {
    version,
    get: (name) => assets.get(name),
    url(name) {
      if (!assets.has(name)) throw new Error(`There is no asset ${name}.`);
      return `${assetsPath}/${version}/${name}`;
    },
  };
}
