/**
 * Of how many names of a book the engine is asked at all, and what asking costs: names of lists made by hand that occur three times and more, for
 * books in scripts without capitals. A name counts as asked when it is a candidate, or stands in a stretch that is read whole.
 * `node bench/names-asked.ts [--missed] [NAME=FILE…]`: NAME is a list in bench/names-asked. Without a file our own web novel.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { stripInlineTags } from '../src/inline-tags.ts';
import { analyseBook } from '../src/translation/analyse-book.ts';
import { readDocument } from '../test/documents/read-and-write.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { missed: { type: 'boolean', default: false } },
});
const languages: Readonly<Record<string, string>> = { wagahai: 'ja' };
const own = 'yunhai-wendao=scripts/samples/yunhai-wendao.md';
/** Fewer are not worth a question: nobody notices how a name is rendered that comes twice. */
const leastOccurrences = 3;
const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

for (const given of positionals.length > 0 ? positionals : [own]) {
  const [name = '', file = ''] = given.split('=');
  const { document } = readDocument(readFileSync(file), { fileName: file });
  const sections = document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text)));
  const text = sections.flat().join('\n');
  const asked = new Set<string>();
  const whole: string[] = [];
  let [sent, calls, questions] = [0, 0, 0];
  const language = languages[name] ?? 'zh';
  await analyseBook({
    sections,
    sourceLang: language,
    targetLang: 'en',
    supplied: [],
    strategy: 'merge',
    reading: 'passages',
    extractTerms: async (request) => {
      calls++;
      const candidates = [...request.candidates, ...(request.doubtful ?? [])];
      questions += candidates.length;
      sent += request.text.length + candidates.join('; ').length;
      for (const candidate of candidates) asked.add(candidate);
      if (request.passages !== true) whole.push(request.text);
      return { terms: [], digest: '', finish: 'complete', usage: noUsage };
    },
    concurrency: 32,
    saved: [],
    save: async () => {},
  });
  const read = whole.join('\n');
  for (const { kind, names } of listsOf(name)) {
    const counted = names
      .map((each) => ({ name: each, count: text.split(each).length - 1 }))
      .filter(({ count }) => count >= leastOccurrences);
    const missed = counted.filter((each) => !asked.has(each.name) && !read.includes(each.name));
    console.log(
      JSON.stringify({
        book: name,
        kind,
        names: counted.length,
        asked: counted.length - missed.length,
        percent: Number(((100 * (counted.length - missed.length)) / counted.length).toFixed(1)),
        sent_per_character: Number((sent / document.characters).toFixed(3)),
        calls,
        questions,
        ...(values.missed ? { missed: missed.map((each) => `${each.name} ${each.count}`).join(', ') } : {}),
      }),
    );
  }
}

/** A line that begins with # names the kind of what follows. */
function listsOf(name: string): { kind: string; names: string[] }[] {
  const lists: { kind: string; names: string[] }[] = [];
  for (const line of readFileSync(new URL(`names-asked/${name}.txt`, import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('# ')) lists.push({ kind: line.slice(2), names: [] });
    else lists.at(-1)?.names.push(...line.split(' ').filter((each) => each !== ''));
  }
  return lists.map(({ kind, names }) => ({ kind, names: [...new Set(names)] }));
}
