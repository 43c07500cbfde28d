/** What can be learnt about a book before it is translated. */
import { stat, writeFile } from 'node:fs/promises';
import { glossaryOf } from '../../../client/src/index.ts';
import { optionalText, requiredText, UsageError } from '../command.ts';
import { printJson, printLine } from '../output.ts';
import { terminal } from '../terminal.ts';
import { charLimitOption, number, optionalCount, partnerCommand, readableFile } from './partner-command.ts';
import { agree, createEstimate, mayAsk, quote, sizing } from './quote.ts';

const estimateCommand = partnerCommand({
  name: 'estimate',
  positionals: ['FILE'],
  options: {
    ...charLimitOption,
    series: { type: 'string', value: 'SERIES', about: 'in a series: only what is new in it is paid' },
  },
  summary: 'Count characters, credits and tokens of a book, in a series only what is new in it. Free.',
  examples: ['estimate novel.epub'],
  async run(args, toledo) {
    const file = await readableFile(args.positionals[0] as string);
    const char_limit = optionalCount(args, 'char-limit');
    const created = await createEstimate(toledo, { file, char_limit, series_id: optionalText(args, 'series') });
    const [task, usage] = await Promise.all([toledo.wait(created.task_id), toledo.usage()]);
    if (args.json) return printJson({ ...task, balance_credits: usage.balance_credits });
    printLine(`Characters   ${number(task.char_count)}`);
    printLine(`Price        ${number(task.billable_characters ?? task.estimated_credits ?? task.char_count)} credits`);
    if (task.reused_characters !== undefined) printLine(`Reused       ${number(task.reused_characters)} characters`);
    printLine(`Balance      ${number(usage.balance_credits)} credits`);
    if (task.estimated_tokens !== undefined) printLine(`Tokens       ${number(task.estimated_tokens)}`);
    if (task.detected_language !== undefined) printLine(`Language     ${task.detected_language}`);
  },
});

const inspectCommand = partnerCommand({
  name: 'inspect',
  positionals: ['FILE'],
  options: charLimitOption,
  summary: 'Show title, language, format and chapters of a book. Free.',
  examples: ['inspect novel.epub'],
  async run(args, toledo) {
    const path = await readableFile(args.positionals[0] as string);
    const size = await sizing(path, optionalCount(args, 'char-limit'));
    const created = await toledo.createTask({ action: 'preview_metadata', file: path, ...size });
    const task = created.status === 'completed' ? created : await toledo.wait(created.task_id);
    if (args.json) return printJson(task);
    const { metadata } = task;
    const rows: [string, string | number | null | undefined][] = [
      ['Title', metadata?.title],
      ['Author', metadata?.author],
      ['Language', task.detected_language],
      ['Declared', metadata?.declared_language],
      ['Format', metadata?.format],
      ['Encoding', metadata?.encoding],
      ['Characters', metadata?.total_characters],
      ['Paragraphs', metadata?.paragraph_count],
      ['Chapters', metadata?.chapter_count],
    ];
    for (const [name, value] of rows) {
      if (value !== null && value !== undefined)
        printLine(`${name.padEnd(11)}  ${typeof value === 'number' ? number(value) : value}`);
    }
    for (const chapter of metadata?.chapters ?? [])
      printLine(`${String(chapter.index).padStart(10)}.  ${chapter.title ?? '–'} (${number(chapter.characters)})`);
  },
});

const glossaryCommand = partnerCommand({
  name: 'glossary',
  positionals: ['FILE'],
  options: {
    to: { type: 'string', value: 'LANG', about: 'language to translate into, such as en' },
    from: { type: 'string', value: 'LANG', about: 'language of the book; detected when left out' },
    ...charLimitOption,
    out: { type: 'string', value: 'PATH', about: 'file to write to; standard output by default' },
    overwrite: { type: 'boolean', about: 'replace a file that exists' },
    yes: { type: 'boolean', about: 'accept the price without being asked; needed without a terminal' },
  },
  summary: 'Extract names and terms as JSON for translate --glossary. Costs a credit per character read.',
  examples: ['glossary novel.epub --to en --char-limit 50000 --out terms.json'],
  async run(args, toledo) {
    const path = await readableFile(args.positionals[0] as string);
    const target_lang = requiredText(args, 'to', 'en');
    const source_lang = optionalText(args, 'from');
    const char_limit = optionalCount(args, 'char-limit');
    const out = optionalText(args, 'out');
    if (out !== undefined && args.options.overwrite !== true && (await stat(out).catch(() => undefined)))
      throw new UsageError(`"${out}" exists already; choose another --out or add --overwrite.`);
    mayAsk(args);
    const price = await quote(toledo, { file: path, target_lang, char_limit });
    if (!(await agree(args, price))) {
      terminal().stderr.write('Nothing was created and nothing was charged.\n');
      return;
    }
    const created = await toledo.createTask({
      action: 'glossary_extraction',
      file: path,
      target_lang,
      source_lang,
      ...(char_limit === undefined ? { estimated_chars: price.characters } : { char_limit }),
    });
    const task = created.status === 'completed' ? created : await toledo.wait(created.task_id);
    const glossary = glossaryOf(task);
    if (out !== undefined) await writeFile(out, `${JSON.stringify(glossary, null, 2)}\n`);
    if (args.json && out !== undefined) return printJson(task);
    if (out === undefined) return printJson(glossary);
    printLine(`Written      ${out}`);
    printLine(`Terms        ${number(Object.keys(glossary).length)}`);
    printLine(`Charged      ${number(task.credits_charged ?? 0)} credits`);
  },
});

export const analysisCommands = [estimateCommand, inspectCommand, glossaryCommand];
