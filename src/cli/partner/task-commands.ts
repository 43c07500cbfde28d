/** What exists already: the account's credits, its tasks and their files. */
import { flag, limitOption, oneOf, option } from '../command.ts';
import { fields, printAnswer, table } from '../output.ts';
import { number, optionalCount, partnerCommand, partnerCommands } from './partner-command.ts';

const actions = [
  'translation',
  'preview_translation',
  'token_estimate',
  'glossary_extraction',
  'preview_metadata',
] as const;

const fileIds = ['translated', 'bilingual', 'glossary', 'report', 'xliff', 'tmx', 'glossary_tbx', 'corrected'] as const;

export const usageCommand = partnerCommand('usage', {
  summary: 'Show the balance, the period and the rate limit of your key.',
  examples: ['usage'],
  async run(args, toledo) {
    const usage = await toledo.usage();
    const words = fields({
      Key: `${usage.api_key_prefix}…`,
      Balance: `${number(usage.balance_credits)} credits`,
      Reserved: `${number(usage.reserved_credits)} credits`,
      Used: `${number(usage.period_used_credits)} credits since ${usage.period_start.slice(0, 10)}`,
      'Rate limit': `${number(usage.rate_limit_per_minute)} requests a minute`,
    });
    printAnswer(args, usage, words);
  },
});

export const partnerTaskCommands = partnerCommands({
  tasks: {
    options: {
      status: option('S', 'pending, completed, failed or cancelled'),
      action: option('ACTION', 'such as translation or token_estimate'),
      'external-id': option('ID', 'with this id of yours'),
      series: option('SERIES', 'of this series'),
      ...limitOption,
    },
    summary: 'List your tasks, newest first.',
    examples: ['tasks --status completed --limit 5'],
    async run(args, toledo) {
      const page = await toledo.listTasks({
        limit: optionalCount(args, 'limit') ?? 20,
        status: oneOf(args.options.status, 'status', ['pending', 'completed', 'failed', 'cancelled']),
        action: oneOf(args.options.action, 'action', actions),
        external_id: args.options['external-id'],
        series_id: args.options.series,
      });
      const rows = page.tasks.map((task) => [
        task.task_id,
        task.action,
        task.status,
        `${Math.floor((task.progress ?? 0) * 100)} %`,
        task.char_count,
        task.credits_charged === undefined ? '–' : number(task.credits_charged),
        task.created_at?.slice(0, 16).replace('T', ' ') ?? '–',
        task.file_name ?? '–',
      ]);
      const headings = ['TASK', 'ACTION', 'STATUS', 'PROGRESS', 'CHARACTERS', 'CHARGED', 'CREATED', 'FILE'];
      printAnswer(args, page, table(headings, rows));
    },
  },

  'cancel TASK': {
    summary: 'Cancel a task; what is finished by then is charged, the rest is released.',
    examples: ['cancel task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const task = await toledo.cancelTask(args.positionals[0] ?? '');
      const charged = `${number(task.credits_charged ?? 0)} credits`;
      printAnswer(args, task, fields({ Cancelled: task.task_id, Charged: charged }));
    },
  },

  'download TASK': {
    options: {
      file: option(
        'FILE_ID',
        'translated (default), bilingual, glossary, report, xliff, tmx, glossary_tbx or corrected',
      ),
      out: option('PATH', 'file or folder to write to; this folder by default'),
      overwrite: flag('replace a file that exists'),
    },
    summary: 'Download a file of a finished task.',
    examples: ['download task_n7121r6nn9dy8qdwpzkv720ew8 --file bilingual'],
    async run(args, toledo) {
      const file = await toledo.download(args.positionals[0] ?? '', {
        file_id: oneOf(args.options.file, 'file', fileIds),
        to: args.options.out,
        overwrite: args.flags.overwrite === true,
      });
      printAnswer(args, file, fields({ Written: `${file.path} (${number(file.file_size)} bytes)` }));
    },
  },

  'read TASK': {
    options: {
      editable: flag('the book can be corrected there'),
      days: option('N', 'the link works so many days'),
    },
    summary: 'Print a link that shows the book side by side in a browser.',
    examples: ['read task_n7121r6nn9dy8qdwpzkv720ew8 --editable --days 14'],
    async run(args, toledo) {
      const days = optionalCount(args, 'days');
      const link = await toledo.readerLink(args.positionals[0] ?? '', {
        editable: args.flags.editable === true,
        ...(days === undefined ? {} : { expires_in: days * 86_400 }),
      });
      printAnswer(args, link, link.url);
    },
  },
});
