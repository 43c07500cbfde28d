/**
 * The strongest name candidates of a book, as the statistics alone see them: `node bench/names.ts [--top N] FILE…`. What
 * is a name among them is judged by hand; the judgements are in bench/names.md.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { blocksOf } from '../src/documents/document.ts';
import { mineNames } from '../src/glossary/mine/mine.ts';
import { stripInlineTags } from '../src/inline-tags.ts';
import { detectBookLanguage } from '../src/language/detect-language.ts';
import { readDocument } from '../test/documents/read-and-write.ts';

const { values, positionals } = parseArgs({
  options: { top: { type: 'string', default: '20' } },
  allowPositionals: true,
});

for (const path of positionals) {
  const { document } = readDocument(readFileSync(path), { fileName: basename(path) });
  const texts = blocksOf(document).map((block) => stripInlineTags(block.text));
  const language = (await detectBookLanguage(texts))?.code ?? 'und';
  const start = performance.now();
  const candidates = mineNames(texts, language).candidates.slice(0, Number(values.top));
  const seconds = (performance.now() - start) / 1000;
  console.log(`\n${basename(path)}: ${language}, ${document.characters} characters, ${seconds.toFixed(1)} s`);
  for (const [i, { source, occurrences }] of candidates.entries()) console.log(`${i + 1}\t${source}\t${occurrences}`);
}
