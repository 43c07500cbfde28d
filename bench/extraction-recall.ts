/**
 * How many names of a labelled novel an engine gets to see, and so can find: when it reads the whole book, and when it judges the
 * candidates of the statistics by passages. The engine is a perfect reader, so what is missed is what it was not asked about; a
 * name counts as found as a term or as another form of one.
 * `node bench/extraction-recall.ts [FILE LABELS LANGUAGE]`: LABELS has a name a line; without a file the novel is made, with its cast.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ExtractRequest } from '../src/engines/engine.ts';
import { stripInlineTags } from '../src/inline-tags.ts';
import { analyseBook } from '../src/translation/analyse-book.ts';
import { readDocument } from '../test/documents/read-and-write.ts';
import { cast, makeNovel, places } from '../test/translation/novel.ts';

const [file, labelFile = '', language = 'en'] = process.argv.slice(2);
const document = file === undefined ? makeNovel(300_000) : readDocument(readFileSync(file)).document;
const sections = document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text)));
const whole = sections.flat().join('\n');
const mentions = (name: string): number =>
  whole.match(new RegExp(`(?<!\\p{L})${name.replaceAll(/[.’'-]/g, '\\$&')}(?!\\p{L})`, 'gu'))?.length ?? 0;
const given =
  file === undefined
    ? [...places, ...cast.flatMap(({ first, last, full }) => [first, last, full])]
    : readFileSync(labelFile, 'utf8').trim().split('\n');
const labels = new Map(
  given.map((name) => [name.trim(), mentions(name.trim())]).filter(([, count]) => Number(count) > 0) as [
    string,
    number,
  ][],
);

const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

for (const reading of ['whole', 'passages'] as const) {
  let sent = 0;
  let calls = 0;
  const { terms } = await analyseBook({
    sections,
    sourceLang: language,
    targetLang: language === 'de' ? 'en' : 'de',
    supplied: [],
    strategy: 'merge',
    reading,
    extractTerms: async (request) => {
      calls += 1;
      sent += request.text.length;
      return { terms: perfectReader(request), digest: '', finish: 'complete', usage: noUsage };
    },
    concurrency: 32,
    saved: [],
    save: async () => {},
  });
  const found = new Set(terms.flatMap(({ source, aliases }) => [source, ...aliases]));
  const share = (atLeast: number): string => {
    const asked = [...labels].filter(([, count]) => count >= atLeast);
    return `${asked.filter(([name]) => found.has(name)).length} of ${asked.length}`;
  };
  const told = [...labels].reduce((sum, [name, count]) => sum + (found.has(name) ? count : 0), 0);
  const all = [...labels.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    JSON.stringify({
      book: file === undefined ? 'made novel' : basename(file),
      reading,
      calls,
      sent_per_character: Number((sent / document.characters).toFixed(3)),
      names: share(1),
      names_twice_and_more: share(2),
      names_five_times_and_more: share(5),
      mentions: `${((100 * told) / all).toFixed(2)} %`,
      missed: [...labels].filter(([name]) => !found.has(name)).map(([name, count]) => `${name} ${count}`),
    }),
  );
}

function perfectReader({ text, candidates, doubtful = [], passages }: ExtractRequest) {
  const asked = new Set([...candidates, ...doubtful]);
  // A longer name with a labelled one in it is a name too: "Lewis de Bourgh".
  const longer = [...asked].filter(
    (name) => !labels.has(name) && [...labels.keys()].some((own) => hasWords(name, own)),
  );
  return [...labels.keys(), ...(passages === true ? longer : [])]
    .filter((name) => (passages === true ? asked.has(name) : true) && text.includes(name))
    .map((source) => {
      // Other forms of the name that the reader sees beside it.
      const aliases = [...labels.keys()].filter(
        (form) => form !== source && text.includes(form) && (hasWords(form, source) || hasWords(source, form)),
      );
      return { source, target: source, type: 'person' as const, gender: 'unknown' as const, aliases };
    });
}

function hasWords(long: string, short: string): boolean {
  return ` ${long} `.includes(` ${short} `);
}
