/**
 * `npm run prove NAME [SIZE] [SEED]` runs one proof of `test/proofs` or `test/external` at its long size.
 * `npm run prove all` runs every proof of `test/proofs` at its short size.
 * `npm run prove` lists them, each with the first sentence of its file.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { runFiles } from './runner/run-files.ts';
import { RunReport } from './runner/run-report.ts';
import { runOnTestServer, withTestServer } from './test-server.ts';

const folders = { 'test/proofs': 'Proofs', 'test/external': 'Proofs that need other programs' };
const [name, ...rest] = process.argv.slice(2);
const file = Object.keys(folders)
  .flatMap((folder) => globSync(`${folder}/*.ts`))
  .find((path) => basename(path, '.ts') === name);

if (name === 'all') {
  process.exitCode = await proveAll(globSync('test/proofs/*.ts').sort());
} else if (file) {
  // Without --test: under it a file gets no arguments.
  process.exitCode = await runOnTestServer([file, 'long', ...rest]);
} else {
  if (name !== undefined) console.error(`There is no proof named "${name}".\n`);
  console.log('npm run prove NAME [SIZE] [SEED]\nnpm run prove all');
  for (const [folder, title] of Object.entries(folders)) {
    console.log(`\n${title}:`);
    for (const path of globSync(`${folder}/*.ts`).sort())
      console.log(`  ${basename(path, '.ts').padEnd(24)} ${firstSentence(readFileSync(path, 'utf8'))}`);
  }
  process.exitCode = name === undefined ? 0 : 1;
}

/** Each in a process of its own; at the end a table of all. */
async function proveAll(files: string[]): Promise<number> {
  const report = new RunReport(files.length, true);
  await withTestServer(undefined, (env) =>
    runFiles(
      files.map((each) => [each]),
      {
        processes: availableParallelism(),
        env,
        isAlone: () => true,
        onStart: (started) => report.start(started),
        onEnd: (result) => report.end(result),
      },
    ),
  );
  report.finish(files.length);
  return report.hasFailed ? 1 : 0;
}

function firstSentence(source: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? '';
  const text = comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
  return /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
}
