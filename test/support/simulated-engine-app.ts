/** The whole application with a simulated engine server, in scaled time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { scaledTuning } from './scaled-tuning.ts';
import { type SimulatedLlm, type SimulatedLlmOptions, startSimulatedLlm } from './simulated-llm/server.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** A wait of two minutes takes 1.2 s, the break after a spend limit 0.6 s. */
const timeScale = 0.01;
const concurrency = 24;

export interface SimulatedEngineOptions extends Partial<SimulatedLlmOptions> {
  /** False = the engine is set up as one that cannot take inline tags. */
  inlineTags?: boolean;
  /** It edits what the others translate, and translates nothing. */
  isEditor?: boolean;
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
  const servers = await Promise.all(
    options.map(({ inlineTags: _, isEditor: __, ...each }) =>
      startSimulatedLlm({ timeScale, capacity: concurrency, ...each }),
    ),
  );
  after(() => Promise.all(servers.map((server) => server.stop())));
  const folder = await mkdtemp(join(tmpdir(), 'toledo-engines-'));
  after(() => rm(folder, { recursive: true, force: true }));
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
  const app = await startTestApp({
    env: { TOLEDO_ENGINES: enginesFile, TOLEDO_ENGINE_CONCURRENCY: String(concurrency), ...env },
    engineTuning: scaledTuning(timeScale),
  });
  return { app, servers };
}

export async function downloadText(app: TestApp, key: string, taskId: string, fileId = 'translated'): Promise<string> {
  const { body } = await app.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key });
  return await (await fetch(body.data.download_url)).text();
}
