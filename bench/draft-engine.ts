/**
 * The built-in engine through the API: `node bench/draft-engine.ts [--from-en [--experimental]] FOLDER [NOVEL…]`. FOLDER holds pairs of
 * files NAME.LANG.src and NAME.LANG.ref, a sentence a line ("" for none): they are translated into English, or the English lines into
 * LANG; into German and Italian with `--experimental`.
 * Each NOVEL is a book in any format, given as LANG-LANG:PATH, and all of them are translated at the same time. Prints JSON lines; the
 * API's times are told for each number of drafts that ran at once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Toledo } from '../client/src/index.ts';
import { bleu, chrF } from '../src/language/scores.ts';
import { toledo as runToledo, startServe } from '../test/support/toledo-process.ts';

const {
  values: { 'from-en': fromEnglish, experimental },
  positionals: [folder = '', ...novels],
} = parseArgs({
  options: { 'from-en': { type: 'boolean', default: false }, experimental: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-draft-'));
const enginesFile = join(dataDir, 'engines.json');
await writeFile(enginesFile, JSON.stringify({ engines: [{ name: 'drafts', kind: 'built-in', experimental }] }));
const env = {
  TOLEDO_DATA_DIR: dataDir,
  TOLEDO_PORT: '0',
  TOLEDO_LOG_LEVEL: 'warn',
  TOLEDO_ENGINE: '',
  TOLEDO_ENGINES: enginesFile,
};
const service = await startServe(env);
const apiKey = /tol_live_\w+/.exec(service.stdout())?.[0] ?? '';
const toledo = new Toledo({ baseUrl: `${service.rootUrl}/api/v1`, apiKey });

try {
  const first = performance.now();
  await translated({ text: 'Bonjour, dit-elle.' }, ['fr', 'en']);
  print({ what: 'first task', seconds: seconds(first) });
  for (const file of folder === ''
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith('.src'))
        .sort()) {
    const language = file.split('.').at(-2) ?? 'fr';
    const [foreign, english] = [file, file.replace(/src$/, 'ref')].map((name) => lines(join(folder, name)));
    const [sources = [], references = []] = fromEnglish ? [english, foreign] : [foreign, english];
    const started = performance.now();
    const pair = fromEnglish ? (['en', language] as const) : ([language, 'en'] as const);
    const { text } = await translated({ text: sources.join('\n\n') }, pair);
    const outputs = text
      .trim()
      .split(/\n\s*\n/)
      .map(plainMarks);
    const wanted = references.map(plainMarks);
    print({
      what: file,
      pair: pair.join('-'),
      lines: sources.length,
      same_count: outputs.length === sources.length,
      bleu: round(bleu(outputs, wanted).score),
      chrf: round(chrF(outputs, wanted).score),
      words_per_second: Math.round(sources.join(' ').split(/\s+/).length / seconds(started)),
      resident_mb: residentMb(),
    });
  }
  let drafts = 0;
  const beside = await measureBeside(() => drafts);
  await Promise.all(
    novels.map(async (novel) => {
      drafts++;
      await wholeNovel(novel);
      // A long run tells what it has so far.
      for (const times of beside.figures()) print(times);
      drafts--;
    }),
  );
  await beside.end();
} finally {
  service.child.kill('SIGTERM');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
}

async function wholeNovel(novel: string): Promise<void> {
  const [, source = 'fr', target = 'en', path = novel] = /^([a-z]{2})-([a-z]{2}):(.+)$/.exec(novel) ?? [];
  const started = performance.now();
  const about = { file: path, estimated_chars: readFileSync(path).length, target_lang: target };
  const asked = await toledo.createTask({ action: 'token_estimate', ...about });
  const { char_count } = await toledo.wait(asked.task_id);
  const order = { file: path, estimated_chars: char_count };
  const { task, report } = await translated(order, [source, target], 'merge');
  print({
    what: basename(path),
    pair: `${source}-${target}`,
    characters: task.char_count,
    minutes: round(seconds(started) / 60),
    coverage: task.coverage,
    consistency: report.consistency.score,
    missed: report.consistency.terms
      .filter((term: { score: number }) => term.score < 1)
      .map(
        (term: { source: string; applied: number; paragraphs: number }) =>
          `${term.source} ${term.applied}/${term.paragraphs}`,
      ),
    terms: report.consistency.terms.length,
    headings: await headingsOf(task.task_id),
    repairs: report.repairs,
    warnings: task.warnings,
    resident_mb: residentMb(),
  });
}

/** How many headings a book has, and those whose translation has less than half of their words. */
async function headingsOf(taskId: string): Promise<{ all: number; short: string[] }> {
  const { chapters } = await toledo.listChapters(taskId);
  const words = (text: string | null): number => text?.match(/\p{L}+/gu)?.length ?? 0;
  const titled = chapters.filter(({ title }) => words(title) > 0);
  const short = titled.filter(({ title, translated_title }) => words(translated_title) < words(title) / 2);
  return { all: titled.length, short: short.map(({ title, translated_title }) => `${title} → ${translated_title}`) };
}

/** Another partner's GET /usage ten times a second while books are translated; its own limit would be part of the times. */
async function measureBeside(drafts: () => number): Promise<{ figures(): object[]; end(): Promise<void> }> {
  const created = await runToledo(['account', 'create', 'neighbour', '--rate-limit', '100000', '--json'], env);
  const neighbour = new Toledo({ baseUrl: `${service.rootUrl}/api/v1`, apiKey: JSON.parse(created.stdout).api_key });
  const samples: { drafts: number; ms: number; answered: boolean }[] = [];
  let running = true;
  const done = (async () => {
    while (running) {
      const started = performance.now();
      const before = drafts();
      const answered = await neighbour.usage().then(
        () => true,
        () => false,
      );
      if (before === drafts()) samples.push({ drafts: before, ms: performance.now() - started, answered });
      await sleep(100);
    }
  })();
  return {
    figures: () =>
      [...Map.groupBy(samples, (sample) => sample.drafts)].map(([count, own]) => {
        const times = own.map(({ ms }) => ms).sort((a, b) => a - b);
        const at = (share: number): number => round(times[Math.floor(times.length * share)] ?? 0);
        const unanswered = own.filter(({ answered }) => !answered).length;
        const told = { drafts: count, calls: times.length, unanswered, p50_ms: at(0.5), p99_ms: at(0.99) };
        return { what: 'GET /usage beside', ...told };
      }),
    async end() {
      running = false;
      await done;
    },
  };
}

async function translated(
  source: { text: string } | { file: string; estimated_chars: number },
  [source_lang, target_lang]: readonly [string, string],
  strategy: 'merge' | 'replace' = 'replace',
) {
  const created = await toledo.createTask({
    action: 'translation',
    ...source,
    source_lang,
    target_lang,
    // Test sets are single sentences: the names of a whole book are not in them.
    glossary_strategy: strategy,
  });
  const task = await toledo.wait(created.task_id);
  if (task.status !== 'completed') throw new Error(JSON.stringify(task.error));
  const read = async (fileId: string): Promise<string> => {
    const url = `${service.rootUrl}/api/tasks/download-file/${task.task_id}?file_id=${fileId}`;
    for (;;) {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
      if (answer.ok) return await answer.text();
      // The measurement beside it has used up the minute.
      if (answer.status !== 429) throw new Error(`${fileId}: ${answer.status} ${await answer.text()}`);
      await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  };
  return { task, text: await read('translated'), report: JSON.parse(await read('report')) };
}

/** Both sides are scored as the training texts were written: how a language prints its marks says nothing about a translation. */
function plainMarks(text: string): string {
  return text
    .replace(/«\s*|\s*»|[“”„]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/…/g, '...')
    .replace(/[œŒ]/g, (letter) => (letter === 'œ' ? 'oe' : 'OE'))
    .replace(/\s*—\s*/g, '—')
    .replace(/\s+(?=[;:!?])/g, '')
    .replace(/\s+/g, ' ');
}

/** Of the children that hold a model, by their command line. */
function residentMb(): number[] {
  const found: number[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      if (!command.includes('draft-process.ts') || !isOurs(Number(parent))) continue;
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      found.push(Math.round(Number(kilobytes) / 1000));
    } catch {
      // It has just ended.
    }
  }
  return found;
}

/** The worker is a child of the service's supervisor. */
function isOurs(workerPid: number): boolean {
  const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${workerPid}/status`, 'utf8'))?.[1];
  return Number(parent) === service.pid;
}

function lines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

function seconds(since: number): number {
  return round((performance.now() - since) / 1000);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
