/** `npm run build:client`: emits client/dist as ES modules and CommonJS, each with its declarations. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { emitClient, withEmittedNames } from './emit-client.ts';

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
  const outDir = fileURLToPath(new URL(`dist/${folder}`, client));
  await emitClient(fileURLToPath(new URL('src/index.ts', client)), { outDir, module });
}

async function nameEmittedFiles(folder: URL): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.d.ts'))) {
    const text = await readFile(new URL(name, folder), 'utf8');
    await writeFile(new URL(name, folder), withEmittedNames(text));
  }
}
