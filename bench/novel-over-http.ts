/** One novel through the service as `npm start` starts it, against a simulated server: what a partner would measure. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeanClient } from '../test/support/lean-client.ts';
import type { BriefCall } from '../test/support/simulated-llm/call-log.ts';
import { spawnSimulatedLlm } from '../test/support/simulated-llm/child.ts';
import type { FaultKind } from '../test/support/simulated-llm/faults.ts';
import type { SimulatedLlmOptions } from '../test/support/simulated-llm/server.ts';
import { startServe, toledo } from '../test/support/toledo-process.ts';
import { makeNovel } from '../test/translation/novel.ts';
import { packEpub } from './pack-epub.ts';
import { type SharesOfProcessor, sharesOfProcessor, untilAtRest } from './processor-time.ts';
import { type SlotUse, slotUse } from './slot-diagram.ts';

/** The server that every figure is for: 600 ms and 20 ms a token, 32 calls at once, 429 above. */
export const server = { latencyMs: 600, perTokenMs: 20, capacity: 32 };

export interface NovelRun {
  fileName: string;
  bytes: Uint8Array;
  sourceLang: string;
  targetLang: string;
  strategy: 'merge' | 'replace';
  /** Multiplies the server's durations; ours stay as they are, so a small scale shows our own overhead. */
  timeScale: number;
  order: 'runs' | 'free';
  faultRate: number;
  faults: readonly FaultKind[];
  names: SimulatedLlmOptions['names'];
}

export interface MeasuredNovel {
  characters: number;
  /** From the create to the poll that says completed. */
  seconds: number;
  /** Until the server got its first call, and from its last answer on. */
  beforeSeconds: number;
  afterSeconds: number;
  /** Until the first segment was asked for: reading and analysis. */
  untilTranslatingSeconds: number;
  /** Until the event that the first chapter can be read. */
  firstChapterSeconds: number;
  /** What the good answers to translation calls take the server, in unscaled milliseconds. */
  translationWorkMs: number;
  calls: { translate: number; extract: number; faulty: number; abandoned: number; turnedAway: number };
  /** Characters of all prompts for each character of the book. */
  promptPerCharacter: number;
  /** Share of the prompts' characters that repeat the beginning of an earlier prompt. */
  cacheableShare: number;
  failedCharacters: number;
  consistency: number;
  slots: SlotUse;
  /** Milliseconds of processor time from the create to the end. */
  processor: SharesOfProcessor;
  /** What the end of the run waited for: the calls that ended last, latest first. */
  lastCalls: LastCall[];
}

export interface LastCall {
  /** Seconds before the last one ended. */
  sentBefore: number;
  endedBefore: number;
  about: string;
}

const lastCallsTold = 8;

export async function measureNovel(run: NovelRun): Promise<MeasuredNovel> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-novel-'));
  const { timeScale, faultRate, faults, names } = run;
  const simulated = await spawnSimulatedLlm({ ...server, timeScale, faultRate, faults, names, hangMs: 30_000 });
  const env = {
    TOLEDO_DATA_DIR: folder,
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'warn',
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: simulated.url,
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_ENGINE_API_KEY: 'sk-simulated',
    TOLEDO_ORDER: run.order,
  };
  const service = await startServe(env);
  let api: Api | undefined;
  try {
    const { stdout } = await toledo(
      ['account', 'create', 'bench', '--credits', '1000000000', '--rate-limit', '100000', '--json'],
      env,
    );
    api = apiOf(`${service.rootUrl}/api`, JSON.parse(stdout).api_key);
    // A partner measures a service that has served somebody before: processes and connections are there, and it has read EPUBs.
    await translated(api, { ...run, bytes: sampleText(), fileName: 'warm-up.txt' });
    await translated(api, { ...run, bytes: sampleEpub(), fileName: 'warm-up.epub', action: 'preview_metadata' });
    // Nor does it come in the second in which the service has been started and still prepares processes for others.
    await untilAtRest();
    await simulated.reset();
    const before = sharesOfProcessor();
    const { task, startedAt, endedAt } = await translated(api, run);
    const after = sharesOfProcessor();
    const calls = (await simulated.calls()).map((call) => ({ ...call, endedAt: call.endedAt ?? endedAt }));
    const totals = await simulated.totals();
    const report = JSON.parse(await api.text(`/tasks/download-file/${task.task_id}?file_id=report`));
    const translations = calls.filter((call) => call.task === 'translate');
    const good = translations.filter((call) => call.fault === undefined && !call.abandoned);
    const prompts = calls.reduce((sum, call) => sum + call.promptCharacters, 0);
    const firstAt = (of: typeof calls) => Math.min(...of.map((call) => call.arrivedAt));
    return {
      characters: task.char_count,
      seconds: (endedAt - startedAt) / 1000,
      beforeSeconds: (firstAt(calls) - startedAt) / 1000,
      afterSeconds: (endedAt - Math.max(...calls.map((call) => call.endedAt))) / 1000,
      untilTranslatingSeconds: (firstAt(translations) - startedAt) / 1000,
      firstChapterSeconds: (await firstChapterAt(api, task.task_id)) / 1000 - Date.parse(task.created_at) / 1000,
      translationWorkMs: good.reduce((sum, call) => sum + server.latencyMs + call.outputTokens * server.perTokenMs, 0),
      calls: {
        translate: translations.length,
        extract: calls.length - translations.length,
        faulty: calls.filter((call) => call.fault !== undefined).length,
        abandoned: totals.abandoned,
        turnedAway: totals.rejectedForCapacity,
      },
      promptPerCharacter: prompts / task.char_count,
      cacheableShare: calls.reduce((sum, call) => sum + call.repeatedCharacters, 0) / prompts,
      failedCharacters: report.coverage.failed,
      consistency: report.consistency.score,
      slots: slotUse(calls, server.capacity),
      processor: differences(before, after),
      lastCalls: lastOf(calls),
    };
  } finally {
    api?.close();
    service.child.kill('SIGTERM');
    await service.exited;
    await simulated.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function differences(before: SharesOfProcessor, after: SharesOfProcessor): SharesOfProcessor {
  const names = Object.keys(after) as (keyof SharesOfProcessor)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as SharesOfProcessor;
}

function lastOf(calls: readonly (Omit<BriefCall, 'endedAt'> & { endedAt: number })[]): LastCall[] {
  const end = Math.max(...calls.map((call) => call.endedAt));
  const asked = Map.groupBy(calls, (call) => call.fingerprint);
  return calls
    .toSorted((a, b) => b.endedAt - a.endedAt)
    .slice(0, lastCallsTold)
    .map((call) => {
      const nth = (asked.get(call.fingerprint)?.indexOf(call) ?? 0) + 1;
      const { task, outputTokens, fault = 'good', abandoned } = call;
      return {
        sentBefore: (end - call.arrivedAt) / 1000,
        endedBefore: (end - call.endedAt) / 1000,
        about: `${task}, ${outputTokens} tokens, ask ${nth}, ${abandoned ? 'abandoned' : fault}`,
      };
    });
}

/** Some calls' worth: the simulated server has to be warm, too. Numbered, so that no paragraph is remembered for the book. */
function sampleText(): Uint8Array {
  const texts = makeNovel(40_000).sections.flatMap(({ blocks }) => blocks.map(({ text }) => text));
  return Buffer.from(texts.map((text, i) => `${i}. ${text}`).join('\n\n'));
}

function sampleEpub(): Uint8Array {
  const chapters = makeNovel(300_000).sections.map(({ blocks }) => blocks.map(({ text }) => `<p>${text}</p>`).join(''));
  return packEpub(chapters);
}

interface Api {
  // biome-ignore lint/suspicious/noExplicitAny: the HTTP tests hold the shapes
  json(path: string, body?: FormData): Promise<any>;
  text(path: string): Promise<string>;
  close(): void;
}

function apiOf(base: string, key: string): Api {
  // The client has the same two cores as the service, and `fetch` would need as much of them for a poll.
  const client = new LeanClient(4);
  const get = async (path: string): Promise<string> => {
    const { status, text } = await client.send('GET', `${base}${path}`, { key });
    if (status !== 200) throw new Error(text);
    return text;
  };
  const post = async (path: string, body: FormData): Promise<string> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${base}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
  return {
    text: get,
    json: async (path, body) => JSON.parse(body ? await post(`/v1${path}`, body) : await get(`/v1${path}`)).data,
    close: () => client.close(),
  };
}

async function translated(
  api: Api,
  { bytes, fileName, sourceLang, targetLang, strategy, action = 'translation' }: NovelRun & { action?: string },
): Promise<{ task: { task_id: string; char_count: number; created_at: string }; startedAt: number; endedAt: number }> {
  const form = new FormData();
  const fields = {
    action,
    source_lang: sourceLang,
    target_lang: targetLang,
    glossary_strategy: strategy,
    estimated_chars: String(20 * bytes.length),
  };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([Buffer.from(bytes)]), fileName);
  const startedAt = Date.now();
  const created = await api.json('/tasks', form);
  for (;;) {
    const task = await api.json(`/tasks/${created.task_id}`);
    if (task.status === 'completed') return { task, startedAt, endedAt: Date.now() };
    if (task.status !== 'pending') throw new Error(JSON.stringify(task));
    // Asked often only towards the end: how late the end is seen is not the service's time.
    await sleep(task.progress > 0.9 ? 10 : 50);
  }
}

/** By the service's own clock, which is that of the task too. */
async function firstChapterAt(api: Api, taskId: string): Promise<number> {
  const { events } = await api.json('/events?types=task.chapter_ready&limit=100');
  const first = events.find(
    ({ data }: { data: { task_id: string; chapter: number } }) => data.task_id === taskId && data.chapter === 1,
  );
  return Date.parse(first.created_at);
}
