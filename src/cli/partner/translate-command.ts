/** `npx toledo translate`: the intended flow, from the quote to the file on disk. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { CreateTaskParameters, DownloadedFile, Task, Toledo } from '../../../client/src/index.ts';
import { outputFileName } from '../../platform/storage/content-disposition.ts';
import { type CommandArguments, flag, oneOf, option, requiredText, UsageError } from '../command.ts';
import { fields, printAnswer, printLine } from '../output.ts';
import { terminal } from '../terminal.ts';
import {
  charLimitOption,
  number,
  optionalCount,
  partnerCommand,
  readableFile,
  readGlossary,
  readText,
} from './partner-command.ts';
import { createProgressLine } from './progress-line.ts';
import { agree, mayAsk, type Priced, type Quote, quote } from './quote.ts';

export const translateCommand = partnerCommand('translate [FILE]', {
  options: {
    to: option('LANG', 'language to translate into, such as en'),
    from: option('LANG', 'language of the book; detected when left out'),
    glossary: option('FILE', 'your terms: a JSON object of source and translation'),
    'glossary-strategy': option('S', 'merge (default), replace or skip: how they meet the terms that are found'),
    style: option('TEXT', 'how the translation shall read'),
    context: option('FILE', 'what the translator should know'),
    ...charLimitOption,
    out: option('PATH', 'file or folder to write to; beside the source by default'),
    bilingual: flag('also the edition with both languages'),
    overwrite: flag('replace a file that exists'),
    'external-id': option('ID', 'an id of your own for the task'),
    yes: flag('accept the price without being asked; needed without a terminal'),
    outputs: option('LIST', 'files to make besides, such as xliff,tmx'),
    series: option('SERIES', 'in a series: only what is new in it is paid'),
    'source-task': option('TASK', 'the source of an earlier task instead of FILE'),
    resume: option('TASK', 'go on with a task that exists'),
  },
  summary: 'Translate a book: price, progress, file. Ctrl-C leaves the task running.',
  examples: [
    'translate novel.epub --to en',
    'translate novel.epub --to en --char-limit 3000 --bilingual --yes',
    'translate --resume task_n7121r6nn9dy8qdwpzkv720ew8',
  ],
  async run(args, toledo) {
    const { resume: resumed, 'source-task': sourceTask } = args.options;
    const [file] = args.positionals;
    if (resumed !== undefined && (file !== undefined || sourceTask !== undefined))
      throw new UsageError('--resume takes up a task that exists; leave out FILE.');
    if (sourceTask !== undefined && file !== undefined)
      throw new UsageError('--source-task takes the book of an earlier task; leave out FILE.');
    if (resumed === undefined && sourceTask === undefined && file === undefined)
      throw new UsageError('FILE is missing: name the book to translate.');
    const out = args.options.out ?? (file === undefined ? '.' : dirname(file));
    if (resumed !== undefined) {
      await checkOut(args, out, undefined, undefined);
      return await follow(args, toledo, resumed, out);
    }
    const target_lang = await languageOf(args, toledo);
    await checkOut(args, out, file, target_lang);
    const source = file === undefined ? { source_task_id: sourceTask as string } : { file: await readableFile(file) };
    const taskId = await create(args, toledo, { ...source, target_lang });
    if (taskId !== undefined) await follow(args, toledo, taskId, out);
  },
});

/** Of the series, unless it is said. */
async function languageOf(args: CommandArguments, toledo: Toledo): Promise<string> {
  const { series, to } = args.options;
  if (series === undefined) return requiredText(args, 'to', 'en');
  return to ?? (await toledo.getSeries(series)).target_lang;
}

/** Undefined when the quote was declined. */
async function create(
  args: CommandArguments,
  toledo: Toledo,
  source: Pick<Priced, 'file' | 'source_task_id' | 'target_lang'>,
): Promise<string | undefined> {
  const { from, series, glossary, 'glossary-strategy': strategy, style, context } = args.options;
  const order: Priced = {
    ...source,
    source_lang: from,
    series_id: series,
    char_limit: optionalCount(args, 'char-limit'),
    glossary: await readGlossary(glossary),
    glossary_strategy: oneOf(strategy, 'glossary-strategy', ['merge', 'replace', 'skip']),
    style,
    context: context === undefined ? undefined : await readText(context),
  };
  mayAsk(args);
  const price = await quote(toledo, order);
  if (!(await agree(args, price))) {
    printLine('Nothing was created and nothing was charged.');
    return undefined;
  }
  const { 'external-id': external_id, outputs } = args.options;
  const task = await toledo.createTask({
    action: 'translation',
    ...bound(order, price),
    metadata: external_id === undefined ? undefined : { external_id },
    outputs,
  });
  if ((task.estimated_credits ?? 0) > price.credits) await takeBack(toledo, task, price.credits);
  if (!args.json) terminal().stderr.write(`Task         ${task.task_id}\n`);
  return task.task_id;
}

/** Between the question and the order somebody has changed the series. @throws Error */
async function takeBack(toledo: Toledo, task: Task, agreedCredits: number): Promise<never> {
  const { credits_charged = 0 } = await toledo.cancelTask(task.task_id);
  throw new Error(
    `The series was changed meanwhile (${task.quote_reason ?? 'no quote'}): this takes ${number(task.estimated_credits ?? 0)} credits now, and not ${number(agreedCredits)}. The task was cancelled, ${number(credits_charged)} credits were charged. Try again.`,
  );
}

/** The price that was agreed to: a quote in a series binds the task that takes the source of its estimate, which is there already. */
function bound({ file, ...order }: Priced, { characters, estimate_id }: Quote): Omit<CreateTaskParameters, 'action'> {
  if (estimate_id !== undefined) return { ...order, source_task_id: estimate_id };
  const estimated = file === undefined || order.char_limit !== undefined ? {} : { estimated_chars: characters };
  return { ...order, file, ...estimated };
}

async function follow(args: CommandArguments, toledo: Toledo, taskId: string, out: string): Promise<void> {
  const line = createProgressLine(terminal().stderr, args.json);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.on('SIGINT', onInterrupt);
  try {
    const task = await toledo.wait(taskId, { onProgress: line.show, signal: interrupt.signal });
    line.end();
    report(args, task, await downloadAll(args, toledo, task, out, interrupt.signal));
  } catch (error) {
    line.end();
    if (!interrupt.signal.aborted) throw error;
    terminal().stderr.write(`The task goes on. Take it up again with:\n  ${resumeCommand(args, taskId)}\n`);
    process.exit(130);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

async function downloadAll(
  args: CommandArguments,
  toledo: Toledo,
  task: Task,
  out: string,
  signal: AbortSignal,
): Promise<DownloadedFile[]> {
  const overwrite = args.flags.overwrite === true;
  const files = [await toledo.download(task.task_id, { to: out, overwrite, signal })];
  if (args.flags.bilingual) {
    const to = (await isFolder(out)) ? out : bilingualPath(out);
    files.push(await toledo.download(task.task_id, { file_id: 'bilingual', to, overwrite, signal }));
  }
  return files;
}

function report(args: CommandArguments, task: Task, files: DownloadedFile[]): void {
  const { coverage, warnings = [] } = task;
  const left = coverage?.failed ? `, ${number(coverage.failed)} left in the source language and not charged` : '';
  const done = coverage?.total ? ((coverage.total - coverage.failed) / coverage.total) * 100 : 100;
  const words = [
    ...files.map((file) => `Written      ${file.path}`),
    fields({
      Charged: `${number(task.credits_charged ?? 0)} credits`,
      Reused: coverage?.reused ? `${number(coverage.reused)} characters, uncharged` : undefined,
      Coverage: coverage && `${done.toFixed(1)} % of ${number(coverage.total)} characters${left}`,
    }),
    ...warnings.map((warning) => `Warning      ${warning.message} (${warning.code})`),
  ];
  printAnswer(args, { task, files }, words.join('\n'));
}

/** Everything but the key, which belongs in the environment, not in the shell history. */
function resumeCommand(args: CommandArguments, taskId: string): string {
  const words = ['npx toledo translate --resume', taskId];
  for (const name of ['out', 'base-url']) {
    const value = args.options[name];
    if (value !== undefined)
      words.push(`--${name} ${/^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`);
  }
  for (const name of ['bilingual', 'overwrite']) if (args.flags[name]) words.push(`--${name}`);
  return words.join(' ');
}

/** Before anything is paid for. */
async function checkOut(
  args: CommandArguments,
  out: string,
  file: string | undefined,
  language: string | undefined,
): Promise<void> {
  if (await isFolder(out)) return await checkFolder(args, out, file, language);
  if (!(await isFolder(dirname(out)))) throw new UsageError(`There is no folder "${dirname(out)}" to write to.`);
  const paths = args.flags.bilingual ? [out, bilingualPath(out)] : [out];
  for (const path of paths) {
    if (!args.flags.overwrite && (await stat(path).catch(() => undefined)))
      throw new UsageError(`"${path}" exists already; choose another --out or add --overwrite.`);
  }
}

/** The service names its files after the source and the language, so what would be in the way is known beforehand. */
async function checkFolder(
  args: CommandArguments,
  folder: string,
  file: string | undefined,
  language: string | undefined,
): Promise<void> {
  if (file === undefined || language === undefined || args.flags.overwrite) return;
  const extension = extname(file).slice(1);
  const tags = args.flags.bilingual ? [language, `${language}.bilingual`] : [language];
  // `ZH_tw` comes back as `zh-TW`.
  const folded = (name: string): string => name.toLowerCase().replaceAll('_', '-');
  const wanted = new Set(tags.map((tag) => folded(outputFileName(basename(file), tag, extension))));
  for (const name of await readdir(folder)) {
    if (wanted.has(folded(name)))
      throw new UsageError(`"${join(folder, name)}" exists already; choose another --out or add --overwrite.`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function bilingualPath(out: string): string {
  const ending = extname(out);
  return `${out.slice(0, out.length - ending.length)}.bilingual${ending}`;
}
