/**
 * `npm run prove NAME [SIZE] [SEED]` runs one proof of `test/proofs` or `test/external` at its long size.
 * `npm run prove` lists them, each with the first sentence of its file.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runOnTestServer } from './test-server.ts';

const folders = { 'test/proofs': 'Proofs', 'test/external': 'Proofs that need other programs' };
const [name, ...rest] = process.argv.slice(2);
const file = Object.keys(folders)
  .flatMap((folder) => globSync(`${folder}/*.ts`))
  .find((path) => basename(path, '.ts') === name);

if (file) {
  // Without --test: under it a file gets no arguments.
  process.exitCode = await runOnTestServer([file, 'long', ...rest]);
} else {
  if (name !== undefined) console.error(`There is no proof named "${name}".\n`);
  console.log('npm run prove NAME [SIZE] [SEED]');
  for (const [folder, title] of Object.entries(folders)) {
    console.log(`\n${title}:`);
    for (const path of globSync(`${folder}/*.ts`).sort())
      console.log(`  ${basename(path, '.ts').padEnd(24)} ${firstSentence(readFileSync(path, 'utf8'))}`);
  }
  process.exitCode = name === undefined ? 0 : 1;
}

function firstSentence(source: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? '';
  const text = comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
  return /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
}
