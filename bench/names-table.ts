/**
 * How many of the main names of whole novels are found without a model, and what of the 20 strongest is none: `node bench/names-table.ts DIR`. The
 * novels are files of DIR; `labels/novel-names.ts` says what is named in them. A candidate that is in neither of its lists counts as wrong.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../src/documents/document.ts';
import { mineNames } from '../src/glossary/mine/mine.ts';
import { stripInlineTags } from '../src/inline-tags.ts';
import { readDocument } from '../test/documents/read-and-write.ts';
import { novelNames } from './labels/novel-names.ts';

const [directory = '.'] = process.argv.slice(2);
const listOf = (names = ''): string[][] =>
  names
    .split(/\s+/)
    .filter(Boolean)
    .map((entry) => entry.split('|').map((form) => form.replaceAll('_', ' ')));

console.log('| Novel | main names found | missed | wrong of the top 20 |\n|---|---|---|---|');
for (const { file, main, also } of novelNames) {
  const name = readdirSync(directory).find((each) => each.includes(file));
  if (name === undefined) continue;
  const { document } = readDocument(readFileSync(join(directory, name)), { fileName: name });
  const texts = blocksOf(document).map((block) => stripInlineTags(block.text));
  const candidates = mineNames(texts, file.slice(0, 2)).candidates;
  const forms = new Set(candidates.flatMap(({ source, aliases }) => [source, ...aliases]));
  const wanted = listOf(main);
  const missed = wanted.filter((entry) => !entry.some((form) => forms.has(form)));
  const right = new Set([...wanted, ...listOf(also)].flat());
  const wrong = candidates
    .slice(0, 20)
    .filter(({ source, aliases }) => ![source, ...aliases].some((form) => right.has(form)));
  const cells = [
    file,
    `${wanted.length - missed.length} of ${wanted.length}`,
    missed.map(([form]) => form).join(', '),
    `${wrong.length}${wrong.length === 0 ? '' : `: ${wrong.map(({ source }) => source).join(', ')}`}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
