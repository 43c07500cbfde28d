/** `npm run build:client`: emits client/dist as ES modules and CommonJS, each with its declarations. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = new URL('../', import.meta.url);
const client = new URL('client/', root);
const formats = [
  { folder: 'esm', type: 'module', module: 'esnext' },
  { folder: 'cjs', type: 'commonjs', module: 'commonjs' },
];

await rm(new URL('dist/', client), { recursive: true, force: true });
for (const { folder, type, module } of formats) {
  await mkdir(new URL(`dist/${folder}/`, client), { recursive: true });
  await emit(folder, module);
  await nameEmittedFiles(new URL(`dist/${folder}/`, client));
  await writeFile(new URL(`dist/${folder}/package.json`, client), `${JSON.stringify({ type })}\n`);
}

async function emit(folder: string, module: string): Promise<void> {
  const options = {
    outDir: fileURLToPath(new URL(`dist/${folder}`, client)),
    // What Node 18 runs.
    target: 'es2022',
    lib: 'es2023',
    module,
    moduleResolution: 'bundler',
    types: 'node',
    declaration: 'true',
    strict: 'true',
    skipLibCheck: 'true',
    rewriteRelativeImportExtensions: 'true',
    ignoreConfig: 'true',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const entry = fileURLToPath(new URL('src/index.ts', client));
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  await promisify(execFile)(process.execPath, [tsc, entry, ...flags], { cwd: fileURLToPath(root) });
}

/** The compiler rewrites `./x.ts` to `./x.js` in programs but not in declarations. */
async function nameEmittedFiles(folder: URL): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.d.ts'))) {
    const text = await readFile(new URL(name, folder), 'utf8');
    await writeFile(new URL(name, folder), text.replace(/(from '\.\/[^']+)\.ts'/g, "$1.js'"));
  }
}
