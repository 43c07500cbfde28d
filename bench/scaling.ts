/**
 * The same queue of short novels with one worker process and with four, against a simulated server of ample capacity that
 * is slow enough to be what a worker waits for: what is lost is what the processes cost each other. Goal: 3.6 times as
 * fast. `node bench/scaling.ts [NOVELS]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripInlineTags } from '../src/inline-tags.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { spawnSimulatedLlm } from '../test/support/simulated-llm/child.ts';
import { type ServeProcess, startServe, startWorkerProcess, toledo } from '../test/support/toledo-process.ts';
import { makeNovel } from '../test/translation/novel.ts';
import { addRow } from './rows.ts';

const novels = Number(process.argv[2] ?? 24);
const characters = 12_000;
const folder = await mkdtemp(join(tmpdir(), 'toledo-scaling-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
const simulated = await spawnSimulatedLlm({ timeScale: 0.25 });
const env = {
  TOLEDO_DATA_DIR: folder,
  TOLEDO_DATABASE_URL: postgres.url,
  TOLEDO_PORT: '0',
  TOLEDO_ENGINE: 'openai-compatible',
  TOLEDO_ENGINE_BASE_URL: simulated.url,
  TOLEDO_ENGINE_MODEL: 'simulated',
  TOLEDO_ENGINE_API_KEY: 'sk-simulated',
  // Small, so that a worker waits for its engine and not for one of two cores.
  TOLEDO_ENGINE_CONCURRENCY: '4',
  // One at a time: with several, what is measured at the end is how they happen to be spread.
  TOLEDO_WORKER_BOOKS: '1',
  TOLEDO_WORKER_SHORT_TASKS: '2',
};
const api = await startServe(env, ['--role', 'api']);
const book = makeNovel(characters)
  .sections.flatMap((section) => section.blocks)
  .map((block) => stripInlineTags(block.text))
  .join('\n\n');
try {
  const one = await makespan(1);
  const four = await makespan(4);
  const ratio = one.seconds / four.seconds;
  process.stdout.write(
    `1 worker: ${novels} novels in ${one.seconds.toFixed(1)} s; 4 workers: ${four.seconds.toFixed(1)} s\n`,
  );
  process.stdout.write(`${ratio.toFixed(2)} times as fast   goal ≥ 3.6\n`);
  addRow({
    name: 'four workers against one',
    value: ratio,
    unit: '×',
    goal: { atLeast: 3.6 },
    limit: `4: four times the calls in flight; ${novels} equal novels, server of ample capacity, same run`,
  });
} finally {
  api.child.kill('SIGTERM');
  await api.exited;
  await simulated.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** From the moment the workers stand ready to the end of the last novel; accounts of its own, so that nothing is reused. */
async function makespan(workers: number): Promise<{ seconds: number }> {
  const accounts = await Promise.all(
    Array.from({ length: 4 }, async (_, i) => {
      const name = `${workers} workers ${i}`;
      const { stdout } = await toledo(
        ['account', 'create', name, '--credits', '100000000', '--rate-limit', '100000', '--json'],
        env,
      );
      return JSON.parse(stdout).api_key as string;
    }),
  );
  const started: ServeProcess[] = await Promise.all(Array.from({ length: workers }, () => startWorkerProcess(env)));
  const start = performance.now();
  const tasks = await Promise.all(
    Array.from({ length: novels }, async (_, i) => {
      const key = accounts[i % accounts.length] as string;
      // A first line of its own: an account's equal segments would be taken over instead of translated.
      const text = `Volume ${workers}-${i} of the long winter\n\n${book.replaceAll('Chapter', `Volume ${i}, Chapter`).replaceAll('.', ` ${i}.`)}`;
      const { data } = await call(key, '/tasks', {
        action: 'translation',
        source_lang: 'en',
        target_lang: 'de',
        glossary_strategy: 'replace',
        text,
      });
      return { key, id: data.task_id };
    }),
  );
  for (const { key, id } of tasks) {
    for (;;) {
      const { data } = await call(key, `/tasks/${id}`);
      if (data.status === 'completed') break;
      if (data.status !== 'pending') throw new Error(JSON.stringify(data));
      await sleep(100);
    }
  }
  const seconds = (performance.now() - start) / 1000;
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ exited }) => exited));
  return { seconds };
}

// biome-ignore lint/suspicious/noExplicitAny: the HTTP tests hold the shapes
async function call(key: string, path: string, body?: object): Promise<{ data: any }> {
  const response = await fetch(`${api.rootUrl}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const answer = (await response.json()) as any;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
