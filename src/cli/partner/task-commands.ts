/** What exists already: the account's credits, its tasks and their files. */
import { limitOption, oneOf, optionalText } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { number, optionalCount, partnerCommand } from './partner-command.ts';

const actions = [
  'translation',
  'preview_translation',
  'token_estimate',
  'glossary_extraction',
  'preview_metadata',
] as const;

const fileIds = ['translated', 'bilingual', 'glossary', 'report', 'xliff', 'tmx', 'glossary_tbx', 'corrected'] as const;

export const usageCommand = partnerCommand({
  name: 'usage',
  positionals: [],
  options: {},
  summary: 'Show the balance, the period and the rate limit of your key.',
  examples: ['usage'],
  async run(args, toledo) {
    const usage = await toledo.usage();
    if (args.json) return printJson(usage);
    printLine(`Key          ${usage.api_key_prefix}…`);
    printLine(`Balance      ${number(usage.balance_credits)} credits`);
    printLine(`Reserved     ${number(usage.reserved_credits)} credits`);
    printLine(`Used         ${number(usage.period_used_credits)} credits since ${usage.period_start.slice(0, 10)}`);
    printLine(`Rate limit   ${number(usage.rate_limit_per_minute)} requests a minute`);
  },
});

const tasksCommand = partnerCommand({
  name: 'tasks',
  positionals: [],
  options: {
    status: { type: 'string', value: 'S', about: 'pending, completed, failed or cancelled' },
    action: { type: 'string', value: 'ACTION', about: 'such as translation or token_estimate' },
    'external-id': { type: 'string', value: 'ID', about: 'with this id of yours' },
    series: { type: 'string', value: 'SERIES', about: 'of this series' },
    ...limitOption,
  },
  summary: 'List your tasks, newest first.',
  examples: ['tasks --status completed --limit 5'],
  async run(args, toledo) {
    const page = await toledo.listTasks({
      limit: optionalCount(args, 'limit') ?? 20,
      status: oneOf(optionalText(args, 'status'), 'status', ['pending', 'completed', 'failed', 'cancelled']),
      action: oneOf(optionalText(args, 'action'), 'action', actions),
      external_id: optionalText(args, 'external-id'),
      series_id: optionalText(args, 'series'),
    });
    if (args.json) return printJson(page);
    printTable(
      ['TASK', 'ACTION', 'STATUS', 'PROGRESS', 'CHARACTERS', 'CHARGED', 'CREATED', 'FILE'],
      page.tasks.map((task) => [
        task.task_id,
        task.action,
        task.status,
        `${Math.floor((task.progress ?? 0) * 100)} %`,
        task.char_count,
        task.credits_charged === undefined ? '–' : number(task.credits_charged),
        task.created_at?.slice(0, 16).replace('T', ' ') ?? '–',
        task.file_name ?? '–',
      ]),
    );
  },
});

const cancelCommand = partnerCommand({
  name: 'cancel',
  positionals: ['TASK'],
  options: {},
  summary: 'Cancel a task; what is finished by then is charged, the rest is released.',
  examples: ['cancel task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const task = await toledo.cancelTask(args.positionals[0] as string);
    if (args.json) return printJson(task);
    printLine(`Cancelled    ${task.task_id}`);
    printLine(`Charged      ${number(task.credits_charged ?? 0)} credits`);
  },
});

const downloadCommand = partnerCommand({
  name: 'download',
  positionals: ['TASK'],
  options: {
    file: {
      type: 'string',
      value: 'FILE_ID',
      about: 'translated (default), bilingual, glossary, report, xliff, tmx, glossary_tbx or corrected',
    },
    out: { type: 'string', value: 'PATH', about: 'file or folder to write to; this folder by default' },
    overwrite: { type: 'boolean', about: 'replace a file that exists' },
  },
  summary: 'Download a file of a finished task.',
  examples: ['download task_n7121r6nn9dy8qdwpzkv720ew8 --file bilingual'],
  async run(args, toledo) {
    const file = await toledo.download(args.positionals[0] as string, {
      file_id: oneOf(optionalText(args, 'file'), 'file', fileIds),
      to: optionalText(args, 'out'),
      overwrite: args.options.overwrite === true,
    });
    if (args.json) return printJson(file);
    printLine(`Written      ${file.path} (${number(file.file_size)} bytes)`);
  },
});

const readCommand = partnerCommand({
  name: 'read',
  positionals: ['TASK'],
  options: {
    editable: { type: 'boolean', about: 'the book can be corrected there' },
    days: { type: 'string', value: 'N', about: 'the link works so many days' },
  },
  summary: 'Print a link that shows the book side by side in a browser.',
  examples: ['read task_n7121r6nn9dy8qdwpzkv720ew8 --editable --days 14'],
  async run(args, toledo) {
    const days = optionalCount(args, 'days');
    const link = await toledo.readerLink(args.positionals[0] as string, {
      editable: args.options.editable === true,
      ...(days === undefined ? {} : { expires_in: days * 86_400 }),
    });
    if (args.json) return printJson(link);
    printLine(link.url);
  },
});

export const partnerTaskCommands = [tasksCommand, cancelCommand, downloadCommand, readCommand];
