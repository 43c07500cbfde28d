/**
 * `npm run demo` (French into English), `npm run demo es` (Spanish into English) or `npm run demo en` (English into French): the intended
 * flow of the API on a bundled novel, with nothing to set up. Starts the service in a temporary folder on a free port, talks to it through
 * the client only, and stops it again. The files stay.
 */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { glossaryOf, type Task, Toledo } from '../client/src/index.ts';
import { createProgressLine } from '../src/cli/partner/progress-line.ts';
import { openArchive } from '../src/documents/archive/archive.ts';
import { sampleBook } from '../src/pages/samples/sample-books.ts';
import { type DemoService, startDemoService } from './demo-service.ts';
import { offerReading, thisTerminal } from './offer-reading.ts';

const samples = {
  fr: { target: 'en', glossaryChoice: { 'Saint-Aubin': 'Saint-Aubin' } },
  es: { target: 'en', glossaryChoice: { 'don Evaristo': 'Don Evaristo' } },
  en: { target: 'fr', glossaryChoice: { Silas: 'Silas' } },
};
const wanted = process.argv[2] ?? 'fr';
if (!isSample(wanted)) {
  process.stderr.write(`There is no sample "${wanted}": choose one of ${Object.keys(samples).join(', ')}.\n`);
  process.exit(1);
}
const sample = samples[wanted];
const { name, chapters, epub } = sampleBook(wanted);
const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'toledo-demo-'));
const files = join(folder, 'files');
await mkdir(files);
let service: DemoService | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void service?.stop().then(() => process.exit(130)));

try {
  say(`Toledo demo. Everything happens in ${folder}`);
  step('start', 'npx toledo serve');
  service = await startDemoService(join(folder, 'data'));
  fact('address', service.baseUrl);
  const toledo = new Toledo(service);
  const link = await intendedFlow(toledo);
  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  await offerReading(link, thisTerminal());
} finally {
  await service?.stop();
}

function isSample(name: string): name is keyof typeof samples {
  return Object.hasOwn(samples, name);
}

/** Returns the address at which the translated book can be read. */
async function intendedFlow(toledo: Toledo): Promise<string> {
  const { target: target_lang, glossaryChoice } = sample;
  const book = join(files, `${name}.epub`);
  await writeFile(book, epub);

  step('usage', 'toledo.usage()');
  const usage = await toledo.usage();
  fact('balance', `${number(usage.balance_credits)} credits`);
  fact('rate limit', `${usage.rate_limit_per_minute} requests a minute`);

  step('inspect', "createTask({ action: 'preview_metadata', char_limit: 20000 })");
  const inspected = await toledo.createTask({ action: 'preview_metadata', file: book, char_limit: 20_000 });
  fact('title', `${inspected.metadata?.title} by ${inspected.metadata?.author}`);
  fact('language', inspected.detected_language);
  fact('chapters', inspected.metadata?.chapters?.map((chapter) => chapter.title).join(' | '));

  step('estimate', "createTask({ action: 'token_estimate' })");
  const bytes = (await readFile(book)).length;
  const asked = await toledo.createTask({ action: 'token_estimate', file: book, estimated_chars: bytes, target_lang });
  const estimate = await toledo.wait(asked.task_id);
  fact('characters', number(estimate.char_count));
  fact('price', `${number(estimate.estimated_credits ?? 0)} credits`);
  fact('tokens', number(estimate.estimated_tokens ?? 0));

  step('glossary', "createTask({ action: 'glossary_extraction', char_limit: 20000 })");
  const extracted = await toledo.createTask({
    action: 'glossary_extraction',
    file: book,
    target_lang,
    char_limit: 20_000,
  });
  const terms = extracted.status === 'completed' ? extracted : await toledo.wait(extracted.task_id);
  for (const term of terms.terms ?? [])
    fact(term.source, `${term.target}  (${term.type}, confidence ${term.confidence})`);
  // A person decides here. The demo keeps what begins like a name, and chooses one word of its own.
  const names = Object.entries(glossaryOf(terms)).filter(([source]) => /^\p{Lu}/u.test(source));
  const glossary = { ...Object.fromEntries(names), ...glossaryChoice };
  await writeFile(join(files, 'glossary.json'), `${JSON.stringify(glossary, null, 2)}\n`);

  step('preview', "createTask({ action: 'preview_translation', char_limit: 600 })");
  const preview = await toledo.createTask({
    action: 'preview_translation',
    file: book,
    target_lang,
    glossary,
    char_limit: 600,
  });
  const seen = await toledo.finishTask(preview.task_id, { to: join(files, `${name}.preview.epub`) });
  fact('charged', `${number(seen.task.credits_charged ?? 0)} credits for ${number(seen.task.char_count)} characters`);

  step('translation', 'translateFile(book, { target_lang, glossary, to })');
  const line = createProgressLine(process.stdout, false);
  const { task, files: written } = await toledo.translateFile(book, {
    target_lang,
    glossary,
    estimated_chars: estimate.char_count,
    files: ['translated', 'bilingual', 'glossary', 'report'],
    to: files,
    onProgress: line.show,
  });
  line.end();
  fact('charged', `${number(task.credits_charged ?? 0)} credits`);
  fact('coverage', `${number(task.coverage?.translated ?? 0)} of ${number(task.coverage?.total ?? 0)} characters`);
  fact('balance', `${number((await toledo.usage()).balance_credits)} credits`);

  await showPassage(chapters[0]?.paragraphs ?? [], written[0]?.path ?? '');
  say('This is a draft by the engine that comes with the service, made on this machine: fluent, and sometimes wrong.');
  say('docs/operating/engines.md connects a model of your own, OpenAI, Anthropic, Gemini, DeepL and others.');
  say('\nFiles:');
  for (const path of [book, join(files, 'glossary.json'), seen.files[0]?.path, ...written.map((file) => file.path)])
    say(`  ${path}`);
  step('read', 'readerLink(task_id, { editable: true })');
  return (await toledo.readerLink(task.task_id, { editable: true })).url;
}

/** The first paragraphs of the first chapter, source on the left. */
async function showPassage(source: string[], translated: string): Promise<void> {
  const page = openArchive(await readFile(translated)).read('OEBPS/c1.xhtml');
  const found = [...new TextDecoder().decode(page).matchAll(/<p[^>]*>([\s\S]*?)<\/p>/g)];
  const target = found.map((match) => (match[1] ?? '').replace(/<br\/>\s*/g, '\n').replace(/<[^>]+>/g, ''));
  say(`\n${'SOURCE'.padEnd(56)}  TRANSLATION`);
  for (const [index, paragraph] of source.slice(0, 5).entries()) {
    const [left, right] = [wrap(withoutMarks(paragraph), 56), wrap(target[index] ?? '', 56)];
    for (let row = 0; row < Math.max(left.length, right.length); row += 1)
      say(`${(left[row] ?? '').padEnd(56)}  ${right[row] ?? ''}`.trimEnd());
    say('');
  }
}

/** The text of a sample without the marks that `readChapters` knows. */
function withoutMarks(paragraph: string): string {
  return paragraph
    .replace(/^> /gm, '')
    .replace(/\\$/gm, '')
    .replace(/\*|\[\^\d+\]/g, '');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function step(name: string, call: string): void {
  say(`\n▸ ${name}  ${call}`);
}

function fact(name: Task['status'], value: string | null | undefined): void {
  say(`    ${name.padEnd(14)} ${value ?? '–'}`);
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((given) => {
    const lines: string[] = [];
    let line = '';
    for (const word of given.split(' ')) {
      if (line && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    return [...lines, line];
  });
}
