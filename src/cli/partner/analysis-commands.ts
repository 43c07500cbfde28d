/** What can be learnt about a book before it is translated. */
import { stat, writeFile } from 'node:fs/promises';
import { glossaryOf } from '../../../client/src/index.ts';
import { flag, option, requiredText, UsageError } from '../command.ts';
import { fields, printAnswer, printJson } from '../output.ts';
import { terminal } from '../terminal.ts';
import { charLimitOption, number, optionalCount, partnerCommands, readableFile } from './partner-command.ts';
import { agree, createEstimate, mayAsk, quote, sizing } from './quote.ts';

export const analysisCommands = partnerCommands({
  'estimate FILE': {
    options: { ...charLimitOption, series: option('SERIES', 'in a series: only what is new in it is paid') },
    summary: 'Count characters, credits and tokens of a book, in a series only what is new in it. Free.',
    examples: ['estimate novel.epub'],
    async run(args, toledo) {
      const file = await readableFile(args.positionals[0] ?? '');
      const char_limit = optionalCount(args, 'char-limit');
      const created = await createEstimate(toledo, { file, char_limit, series_id: args.options.series });
      const [task, { balance_credits }] = await Promise.all([toledo.wait(created.task_id), toledo.usage()]);
      const { char_count, reused_characters, estimated_tokens } = task;
      const words = fields({
        Characters: char_count,
        Price: `${number(task.billable_characters ?? task.estimated_credits ?? char_count)} credits`,
        Reused: reused_characters === undefined ? undefined : `${number(reused_characters)} characters`,
        Balance: `${number(balance_credits)} credits`,
        Tokens: estimated_tokens,
        Language: task.detected_language,
      });
      printAnswer(args, { ...task, balance_credits }, words);
    },
  },

  'inspect FILE': {
    options: charLimitOption,
    summary: 'Show title, language, format and chapters of a book. Free.',
    examples: ['inspect novel.epub'],
    async run(args, toledo) {
      const path = await readableFile(args.positionals[0] ?? '');
      const size = await sizing(path, optionalCount(args, 'char-limit'));
      const created = await toledo.createTask({ action: 'preview_metadata', file: path, ...size });
      const task = created.status === 'completed' ? created : await toledo.wait(created.task_id);
      const { metadata } = task;
      const about = fields({
        Title: metadata?.title,
        Author: metadata?.author,
        Language: task.detected_language,
        Declared: metadata?.declared_language,
        Format: metadata?.format,
        Encoding: metadata?.encoding,
        Characters: metadata?.total_characters,
        Paragraphs: metadata?.paragraph_count,
        Chapters: metadata?.chapter_count,
      });
      const chapters = (metadata?.chapters ?? []).map(
        ({ index, title, characters }) => `${String(index).padStart(10)}.  ${title ?? '–'} (${number(characters)})`,
      );
      printAnswer(args, task, [about, ...chapters].join('\n'));
    },
  },

  'glossary FILE': {
    options: {
      to: option('LANG', 'language to translate into, such as en'),
      from: option('LANG', 'language of the book; detected when left out'),
      ...charLimitOption,
      out: option('PATH', 'file to write to; standard output by default'),
      overwrite: flag('replace a file that exists'),
      yes: flag('accept the price without being asked; needed without a terminal'),
    },
    summary: 'Extract names and terms as JSON for translate --glossary. Costs a credit per character read.',
    examples: ['glossary novel.epub --to en --char-limit 50000 --out terms.json'],
    async run(args, toledo) {
      const path = await readableFile(args.positionals[0] ?? '');
      const target_lang = requiredText(args, 'to', 'en');
      const char_limit = optionalCount(args, 'char-limit');
      const { from: source_lang, out } = args.options;
      if (out !== undefined && !args.flags.overwrite && (await stat(out).catch(() => undefined)))
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
      if (out === undefined) return printJson(glossary);
      await writeFile(out, `${JSON.stringify(glossary, null, 2)}\n`);
      const charged = `${number(task.credits_charged ?? 0)} credits`;
      printAnswer(args, task, fields({ Written: out, Terms: Object.keys(glossary).length, Charged: charged }));
    },
  },
});
