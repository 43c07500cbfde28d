/**
 * Makespan of many calls through the engine catalog against a simulated server, beside the limit
 * (requests × latency + output tokens × time per token) ÷ capacity. Run: `node bench/engines.ts [calls] [time scale] [name]`.
 * The server is a process of its own; durations are scaled, so figures are ratios.
 */
import { createEngineCatalog } from '../src/engines/catalog.ts';
import { createEngine } from '../src/engines/create-engine.ts';
import { parseEngines } from '../src/engines/engine-settings.ts';
import { scaledTuning } from '../test/support/scaled-tuning.ts';
import { spawnSimulatedLlm } from '../test/support/simulated-llm/child.ts';
import type { FaultKind } from '../test/support/simulated-llm/faults.ts';
import { seeded } from '../test/support/simulated-llm/random.ts';
import { sampleSegment } from '../test/support/simulated-llm/sample-segment.ts';

const callCount = Number(process.argv[2] ?? 470);
const timeScale = Number(process.argv[3] ?? 0.1);
const only = process.argv[4] ?? '';
const latencyMs = 600;
const perTokenMs = 20;

interface Scenario {
  name: string;
  capacity: number;
  retryAfterSeconds?: number;
  faultRate?: number;
  cut?: { afterShare: number; capacity: number };
}

const faults: FaultKind[] = ['rate-limit-1', 'rate-limit-none', 'server-500', 'server-503', 'overloaded-529', 'reset'];
const scenarios: Scenario[] = [
  { name: 'capacity 32', capacity: 32 },
  { name: 'capacity 32, Retry-After 1', capacity: 32, retryAfterSeconds: 1 },
  { name: 'capacity 5', capacity: 5 },
  { name: 'capacity 32 cut to 8', capacity: 32, cut: { afterShare: 0.4, capacity: 8 } },
  { name: 'capacity 32, 10 % faults', capacity: 32, faultRate: 0.1 },
];

process.stdout.write('scenario                       calls  extra%  429s  high  seconds  limit  ratio  cpu s\n');
for (const scenario of scenarios.filter(({ name }) => only === '' || name === only)) await measure(scenario);

async function measure(scenario: Scenario): Promise<void> {
  const simulated = await spawnSimulatedLlm({
    timeScale,
    latencyMs,
    perTokenMs,
    capacity: scenario.capacity,
    ...(scenario.retryAfterSeconds === undefined ? {} : { capacityRetryAfterSeconds: scenario.retryAfterSeconds }),
    faultRate: scenario.faultRate ?? 0,
    faults,
  });
  const settings = parseEngines(
    JSON.stringify({
      engines: [
        {
          name: 'sim',
          kind: 'openai-compatible',
          base_url: simulated.url,
          model: 'sim',
          structured_output: 'schema',
          concurrency: 128,
        },
      ],
    }),
  );
  const catalog = createEngineCatalog(
    { ...settings, engines: await Promise.all(settings.engines.map(createEngine)) },
    { tuning: scaledTuning(timeScale) },
  );
  const signal = new AbortController().signal;
  const calls = Math.max(60, Math.round((callCount * Math.min(32, scenario.capacity)) / 32));
  // Connections, compilation and the first JSON schema are no part of the limit.
  await catalog.translate(sampleSegment(-1, 60), { account: 'warm', task: 'up', signal });
  await simulated.reset();

  // Segments of a real book, in the order the pipeline sends them: the longest first, so that the end is not ragged.
  const sizes = Array.from({ length: calls }, (_, index) => 900 + Math.floor(900 * seeded(3, 'size', index)));
  sizes.sort((a, b) => b - a);
  const startedAt = performance.now();
  const cpuStart = process.cpuUsage();
  let done = 0;
  let beforeCut: { ms: number; work: number } | undefined;
  let work = 0;
  await Promise.all(
    sizes.map(async (size, index) => {
      const result = await catalog.translate(sampleSegment(index, size), { account: 'a', task: 't', signal });
      work += (latencyMs + perTokenMs * result.usage.outputTokens) * timeScale;
      done += 1;
      if (scenario.cut !== undefined && beforeCut === undefined && done >= calls * scenario.cut.afterShare) {
        beforeCut = { ms: performance.now() - startedAt, work };
        await simulated.configure({ capacity: scenario.cut.capacity });
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuStart);
  const totals = await simulated.totals();
  const limitMs =
    scenario.cut === undefined || beforeCut === undefined
      ? work / scenario.capacity
      : beforeCut.work / scenario.capacity + (work - beforeCut.work) / scenario.cut.capacity;
  process.stdout.write(
    [
      scenario.name.padEnd(29),
      String(calls).padStart(6),
      ((100 * (totals.calls - calls)) / calls).toFixed(1).padStart(7),
      String(totals.rejectedForCapacity).padStart(5),
      String(totals.highWater).padStart(5),
      (elapsedMs / 1000).toFixed(2).padStart(8),
      (limitMs / 1000).toFixed(2).padStart(6),
      (elapsedMs / limitMs).toFixed(3).padStart(6),
      ((cpu.user + cpu.system) / 1e6).toFixed(1).padStart(6),
      '\n',
    ].join(' '),
  );
  await simulated.stop();
}
