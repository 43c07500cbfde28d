/** The whole application with a simulated engine server, in scaled time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from './patience.ts';
import { scaledTuning } from './scaled-tuning.ts';
import { sharedPart } from './shared-parts.ts';
import { type SimulatedLlm, type SimulatedLlmOptions, startSimulatedLlm } from './simulated-llm/server.ts';
import { openTestApp, type TestApp } from './test-app.ts';

/** A wait of two minutes takes 1.2 s, the break after a spend limit 0.6 s. */
const timeScale = 0.01;
const concurrency = 24;

export interface SimulatedEngineOptions extends Partial<SimulatedLlmOptions> {
  /** False = the engine is set up as one that cannot take inline tags. */
  inlineTags?: boolean;
  /** It edits what the others translate, and translates nothing. */
  isEditor?: boolean;
}

/**
 * All files of a test process get one application with one server, one after another. It begins each time with these options, an
 * empty log, no task under way and nothing learned of the server.
 */
export async function sharedSimulatedEngine(
  options: Partial<SimulatedLlmOptions> = {},
): Promise<{ app: TestApp; server: SimulatedLlm }> {
  const { app, server } = await sharedPart('application with a simulated engine', async () => {
    const { app, servers, close } = await open({}, [{}]);
    const [server] = servers;
    if (server === undefined) throw new Error('one set of options, one server');
    return { part: { app, server }, close };
  });
  await untilNothingRuns(app);
  server.renew({ timeScale, capacity: concurrency, ...options });
  for (const limits of app.application.engines.learned().values()) limits.forget();
  return { app, server };
}

/** One server per set of options, in order of preference. All are stopped when the test file ends. */
export async function startSimulatedEngineApp(
  ...options: SimulatedEngineOptions[]
): Promise<{ app: TestApp; servers: SimulatedLlm[] }> {
  return await startWithSettings({}, ...options);
}

export async function startWithSettings(
  env: Record<string, string>,
  ...options: SimulatedEngineOptions[]
): Promise<{ app: TestApp; servers: SimulatedLlm[] }> {
  const { close, ...opened } = await open(env, options);
  after(close);
  return opened;
}

async function open(
  env: Record<string, string>,
  options: readonly SimulatedEngineOptions[],
): Promise<{ app: TestApp; servers: SimulatedLlm[]; close(): Promise<void> }> {
  const servers = await Promise.all(
    options.map(({ inlineTags: _, isEditor: __, ...each }) =>
      startSimulatedLlm({ timeScale, capacity: concurrency, ...each }),
    ),
  );
  const folder = await mkdtemp(join(tmpdir(), 'toledo-engines-'));
  const enginesFile = join(folder, 'engines.json');
  const engines = servers.map((server, i) => ({
    name: `simulated-${i + 1}`,
    kind: 'openai-compatible',
    base_url: server.url,
    model: 'simulated',
    structured_output: 'schema',
    concurrency,
    inline_tags: options[i]?.inlineTags ?? true,
    // Answers take milliseconds here, so this is long; a call that hangs costs as much.
    timeout_seconds: 4,
  }));
  const names = engines.map(({ name }) => name);
  const editor = names.find((_, i) => options[i]?.isEditor);
  const routes = [{ engines: names.filter((name) => name !== editor) }];
  await writeFile(enginesFile, JSON.stringify(editor === undefined ? { engines } : { engines, routes, editor }));
  const { app, close } = await openTestApp({
    env: { TOLEDO_ENGINES: enginesFile, TOLEDO_ENGINE_CONCURRENCY: String(concurrency), ...env },
    engineTuning: scaledTuning(timeScale),
  });
  return {
    app,
    servers,
    close: async () => {
      await close();
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the file before has left behind would call the engine in the next one. */
async function untilNothingRuns({ application }: TestApp): Promise<void> {
  const deadline = performance.now() + patienceMs;
  const open = "select id from tasks where status in ('pending', 'processing')";
  for (;;) {
    const { rows } = await application.database.pool.query<{ id: string }>(open);
    if (rows.length === 0) return;
    if (performance.now() > deadline) throw new Error(`still under way: ${rows.map(({ id }) => id).join(', ')}`);
    await sleep(50);
  }
}

export async function downloadText(app: TestApp, key: string, taskId: string, fileId = 'translated'): Promise<string> {
  const { body } = await app.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key });
  return await (await fetch(body.data.download_url)).text();
}
