import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openForOperator } from '../../operators/read-task.ts';
import {
  cancelForOperator,
  fileForOperator,
  requeueForOperator,
  retryForOperator,
} from '../../operators/task-changes.ts';
import { type FoundTask, searchTasks } from '../../operators/task-search-store.ts';
import { tellTask } from '../../operators/task-story.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { outputFileIds } from '../../tasks/output-files.ts';
import { statuses } from '../../tasks/states.ts';
import { wireFields } from '../../wire-fields.ts';
import { type Command, limitOption, listLimit, oneOf, optionalText } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';
import { printStory, storyView } from './print-task-story.ts';

const listCommand: Command = {
  name: 'task list',
  positionals: [],
  options: {
    account: { type: 'string', value: 'ACCOUNT', about: 'of this account only, by id or name' },
    status: { type: 'string', value: 'S', about: 'pending, completed, failed or cancelled' },
    search: { type: 'string', value: 'TEXT', about: 'a task id, an external id or a part of an error' },
    ...limitOption,
  },
  summary: 'List the newest tasks of all accounts, or of one.',
  examples: ['task list --status failed', 'task list --search order-4711'],
  async run(args) {
    const status = oneOf(optionalText(args, 'status'), 'status', statuses);
    const limit = listLimit(args);
    await withOperatorSession(async ({ db }) => {
      const accountId = await accountOption(db, args);
      const text = optionalText(args, 'search');
      const tasks = await searchTasks(db, { text, accountId, status, limit });
      if (args.json) return printJson(tasks.map(taskFields));
      if (tasks.length === 0) return printLine('There is no task.');
      printTable(
        ['TASK', 'ACCOUNT', 'ACTION', 'STAGE', 'PROGRESS', 'CHARACTERS', 'CHARGED', 'CREATED'],
        tasks.map((task) => [
          ...[
            task.id,
            task.accountName,
            task.action,
            task.errorCode ?? task.stage,
            `${Math.floor(task.progress * 100)} %`,
          ],
          ...[task.charCount, String(task.creditsCharged ?? ''), task.createdAt.toISOString()],
        ]),
      );
    });
  },
};

function taskFields(task: FoundTask) {
  return {
    task_id: task.id,
    ...wireFields(
      task,
      'accountId',
      'accountName',
      'action',
      'status',
      'stage',
      'progress',
      'charCount',
      'creditsCharged',
    ),
    ...wireFields(task, 'errorCode', 'engineFault', 'attempt', 'createdAt', 'endedAt'),
  };
}

const showCommand: Command = {
  name: 'task show',
  positionals: ['TASK'],
  options: {},
  summary: 'Show one task: what happened to it and when, engine calls and tokens, credits, faults and outputs.',
  examples: ['task show task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const story = await tellTask(db, args.positionals[0] as string);
      if (args.json) return printJson(storyView(story));
      printStory(story);
    });
  },
};

const cancelCommand: Command = {
  name: 'task cancel',
  positionals: ['TASK'],
  options: {},
  summary: 'Cancel a pending task: what was finished is charged, the rest of its hold is released.',
  examples: ['task cancel task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args) {
    await withOperatorSession(async ({ db, openQueue, actor }) => {
      const task = await stopping(openQueue, (queue) =>
        cancelForOperator({ db, queue, metrics: createMetrics() }, actor, args.positionals[0] as string),
      );
      const charged = task.creditsCharged ?? 0;
      if (args.json) return printJson({ task_id: task.id, status: task.status, credits_charged: charged });
      printLine(`${task.id} is cancelled; ${charged} credits were charged.`);
    });
  },
};

const requeueCommand: Command = {
  name: 'task requeue',
  positionals: ['TASK'],
  options: {},
  summary: 'Give a pending task a new job; what was finished is kept.',
  examples: ['task requeue task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args) {
    await withOperatorSession(async ({ db, openQueue, actor }) => {
      const task = await stopping(openQueue, (queue) =>
        requeueForOperator({ db, queue }, actor, args.positionals[0] as string),
      );
      if (args.json) return printJson({ task_id: task.id, status: task.status, job_id: task.jobId });
      printLine(`${task.id} waits for a worker again.`);
    });
  },
};

const retryCommand: Command = {
  name: 'task retry',
  positionals: ['TASK'],
  options: {},
  summary: 'Order a failed task again, as a new task of the same account.',
  examples: ['task retry task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args) {
    await withOperatorSession(async ({ openApplication, actor }) => {
      const [taskId = ''] = args.positionals;
      const retriedAs = await stopping(openApplication, ({ services }) => retryForOperator(services, actor, taskId));
      if (args.json) return printJson({ task_id: retriedAs, retry_of: taskId });
      printLine(`${retriedAs} is the new task; ${taskId} stays as it is.`);
    });
  },
};

const downloadCommand: Command = {
  name: 'task download',
  positionals: ['TASK'],
  options: {
    file: { type: 'string', value: 'FILE_ID', about: `${outputFileIds.join(', ')}; the first by default` },
    out: { type: 'string', value: 'PATH', about: 'file to write to; one of its own name in this folder by default' },
    overwrite: { type: 'boolean', about: 'replace a file that exists' },
  },
  summary: "Download a file of a partner's finished task; written to the audit log.",
  examples: ['task download task_n7121r6nn9dy8qdwpzkv720ew8 --file bilingual'],
  async run(args) {
    const fileId = oneOf(optionalText(args, 'file'), 'file', outputFileIds) ?? 'translated';
    await withOperatorSession(async ({ openApplication, actor }) => {
      const [taskId = ''] = args.positionals;
      await stopping(openApplication, async ({ services }) => {
        const output = await fileForOperator(services, actor, { taskId, fileId });
        const path = optionalText(args, 'out') ?? basename(output.fileName);
        const { body } = await services.storage.get(output.storageKey);
        const flags = args.options.overwrite === true ? 'w' : 'wx';
        await pipeline(body, createWriteStream(path, { flags })).catch((error) => {
          throw (error as NodeJS.ErrnoException).code === 'EEXIST'
            ? new Error(`${path} exists; --overwrite replaces it.`)
            : error;
        });
        if (args.json) return printJson({ task_id: taskId, file_id: fileId, path, size_bytes: output.sizeBytes });
        printLine(`${path} (${output.sizeBytes} bytes)`);
      });
    });
  },
};

const readCommand: Command = {
  name: 'task read',
  positionals: ['TASK'],
  options: {},
  summary: "Print a link that shows a partner's book side by side for an hour; written to the audit log.",
  examples: ['task read task_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args) {
    await withOperatorSession(async ({ config, db, secrets, actor }) => {
      const path = await openForOperator(db, actor, args.positionals[0] as string, secrets.urlSigningKey);
      const url = `${config.publicUrl ?? `http://${config.host}:${config.port}`}${path}`;
      if (args.json) return printJson({ url });
      printLine(url);
    });
  },
};

/** What is opened is stopped after use. */
async function stopping<S extends { stop(): Promise<void> }, T>(
  open: () => Promise<S>,
  use: (it: S) => Promise<T>,
): Promise<T> {
  const opened = await open();
  return await use(opened).finally(() => opened.stop());
}

export const taskCommands: Command[] = [
  listCommand,
  showCommand,
  cancelCommand,
  requeueCommand,
  retryCommand,
  readCommand,
  downloadCommand,
];
