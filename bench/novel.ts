/**
 * Makespan of a whole novel through the pipeline and the engine catalog against a simulated server of capacity 32
 * (600 ms + 20 ms per output token, 429 above it), beside the limit (requests × latency + output tokens × time per
 * token) ÷ capacity, counted over the good answers. Run: `node bench/novel.ts [characters] [time scale] [name]`.
 * The server is a process of its own; durations are scaled, so figures are ratios. The smaller the scale, the more the
 * machine's own overhead per call weighs, so a small scale reads high.
 */
import { createEngineCatalog } from '../src/engines/catalog.ts';
import { parseEngines } from '../src/engines/engine-settings.ts';
import { scaledTuning } from '../src/engines/routing/tuning.ts';
import type { GlossaryStrategy } from '../src/glossary/glossary.ts';
import { translateBook } from '../src/translation/translate-book.ts';
import { spawnSimulatedLlm } from '../test/support/simulated-llm/child.ts';
import type { FaultKind } from '../test/support/simulated-llm/faults.ts';
import { MemoryCheckpoint } from '../test/translation/memory-checkpoint.ts';
import { cast, makeNovel } from '../test/translation/novel.ts';
import { addRow } from './rows.ts';

const characters = Number(process.argv[2] ?? 700_000);
const timeScale = Number(process.argv[3] ?? 0.2);
const only = process.argv[4] ?? '';
const latencyMs = 600;
const perTokenMs = 20;

interface Scenario {
  name: string;
  strategy: GlossaryStrategy;
  goal: number;
  faultRate?: number;
  cut?: { afterShare: number; capacity: number };
}

const scenarios: Scenario[] = [
  { name: 'replace', strategy: 'replace', goal: 1.05 },
  { name: 'merge (with extraction)', strategy: 'merge', goal: 1.15 },
  { name: 'capacity cut to 8', strategy: 'replace', goal: 1.4, cut: { afterShare: 0.4, capacity: 8 } },
  { name: '22 % faults', strategy: 'replace', goal: 1.6, faultRate: 0.22 },
];
/** Every kind of E1 that is a fault of one call; the spend limit and long waits are outages and measured elsewhere. */
const faults: FaultKind[] = [
  'rate-limit-1',
  'rate-limit-none',
  'server-500',
  'server-503',
  'overloaded-529',
  'reset',
  'truncation',
  'empty',
  'refusal',
  'bad-json',
  'missing-ids',
  'extra-ids',
  'duplicated-ids',
  'echo',
  'wrong-language',
];

process.stdout.write(`novel of ${characters} characters, time scale ${timeScale}\n`);
process.stdout.write(
  'scenario                   goal   ratio  seconds  limit   calls  429s  high  prompt/source  output/ideal  failed chars  consistency  cpu s/M  peak MB\n',
);
for (const scenario of scenarios.filter(({ name }) => only === '' || name === only)) await measure(scenario);

async function measure(scenario: Scenario): Promise<void> {
  const simulated = await spawnSimulatedLlm({
    timeScale,
    latencyMs,
    perTokenMs,
    capacity: 32,
    faultRate: scenario.faultRate ?? 0,
    faults,
    names: cast.map(({ full, first, last, gender }) => ({
      source: full,
      gender: gender === 'male' ? 'm' : 'f',
      aliases: [first, last],
    })),
  });
  const engine = {
    name: 'sim',
    kind: 'openai-compatible',
    base_url: simulated.url,
    model: 'sim',
    structured_output: 'schema',
    concurrency: 128,
  };
  const catalog = createEngineCatalog(parseEngines(JSON.stringify({ engines: [engine] })), {
    tuning: scaledTuning(timeScale),
  });
  const pair = { sourceLang: 'en', targetLang: 'de' };
  const document = makeNovel(characters);
  const caller = { account: 'a', task: 't' };
  const cpuStart = process.cpuUsage();
  const startedAt = performance.now();
  let cutAt: { ms: number; work: number } | undefined;
  const workOf = async () => {
    const totals = await simulated.totals();
    return { totals, ms: (totals.good * latencyMs + totals.outputTokens * perTokenMs) * timeScale };
  };
  const book = await translateBook({
    document,
    ...pair,
    glossary: [],
    strategy: scenario.strategy,
    engines: {
      translate: (request, { engineIndex, signal }) => catalog.translate(request, { ...caller, signal, engineIndex }),
      extractTerms: (request, { signal }) => catalog.extractTerms(request, { ...caller, signal }),
      capabilities: catalog.enginesFor(pair).map(({ capabilities }) => capabilities),
      policy: 'bench',
    },
    checkpoint: new MemoryCheckpoint(),
    concurrency: 128,
    signal: new AbortController().signal,
    onProgress: (done, total) => {
      if (scenario.cut === undefined || cutAt !== undefined || done < total * scenario.cut.afterShare) return;
      cutAt = { ms: performance.now() - startedAt, work: 0 };
      const { capacity } = scenario.cut;
      void workOf().then(({ ms }) => {
        if (cutAt) cutAt.work = ms;
        return simulated.configure({ capacity });
      });
    },
    maxFailedShare: 1,
  });
  const elapsedMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuStart);
  const { totals, ms: work } = await workOf();
  const limitMs = cutAt && scenario.cut ? cutAt.work / 32 + (work - cutAt.work) / scenario.cut.capacity : work / 32;
  process.stdout.write(
    [
      scenario.name.padEnd(26),
      scenario.goal.toFixed(2).padStart(5),
      (elapsedMs / limitMs).toFixed(3).padStart(7),
      (elapsedMs / 1000).toFixed(1).padStart(8),
      (limitMs / 1000).toFixed(1).padStart(6),
      String(totals.calls).padStart(7),
      String(totals.rejectedForCapacity).padStart(5),
      String(totals.highWater).padStart(5),
      (totals.promptCharacters / totals.sourceCharacters).toFixed(2).padStart(14),
      (totals.outputTokens / totals.idealOutputTokens).toFixed(3).padStart(13),
      String(book.report.coverage.failed).padStart(13),
      book.report.consistency.score.toFixed(3).padStart(12),
      (((cpu.user + cpu.system) / 1e6 / document.characters) * 1e6).toFixed(1).padStart(8),
      (process.resourceUsage().maxRSS / 1024).toFixed(0).padStart(8),
      '\n',
    ].join(' '),
  );
  addRow({
    name: `novel of ${characters.toLocaleString('en')} characters, ${scenario.name}`,
    value: elapsedMs / limitMs,
    unit: '× the limit',
    goal: { atMost: scenario.goal },
    limit: '1: (requests × latency + output tokens × time per token) ÷ capacity over the good answers, same run',
  });
  addRow({
    name: `prompt characters per source character, ${scenario.name}`,
    value: totals.promptCharacters / totals.sourceCharacters,
    unit: '',
    goal: { atMost: scenario.strategy === 'replace' ? 1.4 : 2 },
    limit: '1: the text alone; counted by the server',
  });
  addRow({
    name: `output tokens to ideal, ${scenario.name}`,
    value: totals.outputTokens / totals.idealOutputTokens,
    unit: '×',
    goal: { atMost: 1.05 },
    limit: '1: the translations and nothing else; counted by the server',
  });
  await simulated.stop();
}
