/**
 * CPU and memory of the pipeline itself, without any engine's work: a novel of 100,000 and of 5,000,000 characters from
 * document to report. The limit: cost per character grows by no more than 10 %.
 * `node bench/pipeline.ts [small] [large]`
 */
import type { TranslateRequest } from '../src/engines/engine.ts';
import { translateBook } from '../src/translation/translate-book.ts';
import { makeNovel } from '../test/translation/novel.ts';
import { capabilities, createWilfulEngine, noUsage, render } from '../test/translation/scripted-engine.ts';
import { addRow } from './rows.ts';

const [small = 100_000, large = 5_000_000] = process.argv.slice(2).map(Number);

interface Measurement {
  characters: number;
  cpuSeconds: number;
  peakMemoryMb: number;
  secondsPerMillion: number;
}

async function measure(characters: number): Promise<Measurement> {
  const document = makeNovel(characters);
  const finder = createWilfulEngine(1);
  let engineSeconds = 0;
  const apart = <T>(work: () => T): T => {
    const start = process.cpuUsage();
    const result = work();
    const used = process.cpuUsage(start);
    engineSeconds += (used.user + used.system) / 1e6;
    return result;
  };
  global.gc?.();
  const start = process.cpuUsage();
  let peak = 0;
  await translateBook({
    document,
    sourceLang: 'en',
    targetLang: 'ru',
    glossary: [],
    strategy: 'merge',
    engines: {
      translate: async ({ blocks, terms }: TranslateRequest) => ({
        translations: apart(() => new Map(blocks.map(({ id, text }) => [id, render(text, terms)]))),
        finish: 'complete',
        usage: noUsage,
      }),
      extractTerms: (request) => apart(() => finder.extractTerms(request)),
      capabilities: [capabilities],
      policy: 'bench',
    },
    checkpoint: { load: async () => [], save: async () => {} },
    concurrency: 32,
    onProgress: () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
  const used = process.cpuUsage(start);
  const cpuSeconds = (used.user + used.system) / 1e6 - engineSeconds;
  return {
    characters: document.characters,
    cpuSeconds,
    peakMemoryMb: peak / 2 ** 20,
    secondsPerMillion: (cpuSeconds / document.characters) * 1e6,
  };
}

// The small book is measured warm and as often as it takes to be as long as the large one, up to 20 times.
await measure(small);
const runs: Measurement[] = [];
for (let i = 0; i < 20; i++) runs.push(await measure(small));
const median = runs.toSorted((a, b) => a.cpuSeconds - b.cpuSeconds)[10];
const big = await measure(large);
for (const { characters, cpuSeconds, peakMemoryMb, secondsPerMillion } of median === undefined
  ? [big]
  : [median, big]) {
  console.log(
    `${characters} characters: ${cpuSeconds.toFixed(2)} s CPU, ${secondsPerMillion.toFixed(2)} s per million, ${peakMemoryMb.toFixed(0)} MB peak`,
  );
}
if (median !== undefined) {
  addRow({
    name: 'processor time per character, large novel to small',
    value: big.secondsPerMillion / median.secondsPerMillion,
    unit: '×',
    goal: { atMost: 1.1 },
    limit: `1: the same cost; ${small.toLocaleString('en')} and ${large.toLocaleString('en')} characters, same run`,
  });
  addRow({
    name: 'processor time',
    value: big.secondsPerMillion,
    unit: 's per million characters',
    limit: 'our process alone, engines not counted',
  });
  addRow({
    name: `peak memory at ${large.toLocaleString('en')} characters`,
    value: big.peakMemoryMb,
    unit: 'MB',
    limit: 'resident, the document and its translations included',
  });
  console.log(
    `large ÷ small per character: ${(big.secondsPerMillion / median.secondsPerMillion).toFixed(2)} (limit 1.10)`,
  );
}
