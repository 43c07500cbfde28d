/** The compiler on the client's sources: for the package on a registry, and for the declarations that the service packs. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = new URL('../', import.meta.url);

const shared = {
  // What Node 22 runs.
  target: 'es2022',
  lib: 'es2023',
  moduleResolution: 'bundler',
  types: 'node',
  declaration: 'true',
  strict: 'true',
  skipLibCheck: 'true',
  rewriteRelativeImportExtensions: 'true',
  ignoreConfig: 'true',
};

export async function emitClient(entry: string, options: Record<string, string>): Promise<void> {
  const flags = Object.entries({ ...shared, ...options }).flatMap(([name, value]) => [`--${name}`, value]);
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  await promisify(execFile)(process.execPath, [tsc, entry, ...flags], { cwd: fileURLToPath(root) });
}

/** The compiler rewrites `./x.ts` to `./x.js` in programs but not in declarations. */
export function withEmittedNames(declaration: string): string {
  return declaration.replace(/(from '\.\/[^']+)\.ts'/g, "$1.js'");
}
