import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  cancelForOperator,
  fileForOperator,
  openForOperator,
  requeueForOperator,
  retryForOperator,
} from '../../operators/task-changes.ts';
import { type FoundTask, searchTasks } from '../../operators/task-search-store.ts';
import { tellTask } from '../../operators/task-story.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { outputFileIds } from '../../tasks/output-files.ts';
import { statuses } from '../../tasks/states.ts';
import { wireFields } from '../../wire-fields.ts';
import { commands, flag, limitOption, listLimit, oneOf, option } from '../command.ts';
import { printAnswer, table } from '../output.ts';
import { accountOption, ofAccount, operatorSession } from './operator-session.ts';
import { storyInWords, storyView } from './task-story-words.ts';

export const taskCommands = commands({
  'task list': {
    options: {
      ...ofAccount,
      status: option('S', 'pending, completed, failed or cancelled'),
      search: option('TEXT', 'a task id, an external id or a part of an error'),
      ...limitOption,
    },
    summary: 'List the newest tasks of all accounts, or of one.',
    examples: ['task list --status failed', 'task list --search order-4711'],
    async run(args) {
      const status = oneOf(args.options.status, 'status', statuses);
      const limit = listLimit(args);
      await using session = await operatorSession();
      const accountId = await accountOption(session.db, args);
      const tasks = await searchTasks(session.db, { text: args.options.search, accountId, status, limit });
      const rows = tasks.map(({ progress, createdAt, ...task }) => [
        ...[task.id, task.accountName, task.action, task.errorCode ?? task.stage, `${Math.floor(progress * 100)} %`],
        ...[task.charCount, String(task.creditsCharged ?? ''), createdAt.toISOString()],
      ]);
      const headings = ['TASK', 'ACCOUNT', 'ACTION', 'STAGE', 'PROGRESS', 'CHARACTERS', 'CHARGED', 'CREATED'];
      printAnswer(args, tasks.map(taskFields), tasks.length === 0 ? 'There is no task.' : table(headings, rows));
    },
  },

  'task show TASK': {
    summary: 'Show one task: what happened to it and when, engine calls and tokens, credits, faults and outputs.',
    examples: ['task show task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args) {
      await using session = await operatorSession();
      const story = await tellTask(session.db, args.positionals[0] ?? '');
      printAnswer(args, storyView(story), storyInWords(story));
    },
  },

  'task cancel TASK': {
    summary: 'Cancel a pending task: what was finished is charged, the rest of its hold is released.',
    examples: ['task cancel task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args) {
      await using session = await operatorSession();
      const deps = { db: session.db, queue: await session.openQueue(), metrics: createMetrics() };
      const {
        id,
        status,
        creditsCharged = 0,
      } = await cancelForOperator(deps, session.actor, args.positionals[0] ?? '');
      printAnswer(
        args,
        { task_id: id, status, credits_charged: creditsCharged },
        `${id} is cancelled; ${creditsCharged} credits were charged.`,
      );
    },
  },

  'task requeue TASK': {
    summary: 'Give a pending task a new job; what was finished is kept.',
    examples: ['task requeue task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args) {
      await using session = await operatorSession();
      const deps = { db: session.db, queue: await session.openQueue() };
      const { id, status, jobId } = await requeueForOperator(deps, session.actor, args.positionals[0] ?? '');
      printAnswer(args, { task_id: id, status, job_id: jobId }, `${id} waits for a worker again.`);
    },
  },

  'task retry TASK': {
    summary: 'Order a failed task again, as a new task of the same account.',
    examples: ['task retry task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args) {
      const [taskId = ''] = args.positionals;
      await using session = await operatorSession();
      const { services } = await session.openApplication();
      const retriedAs = await retryForOperator(services, session.actor, taskId);
      printAnswer(
        args,
        { task_id: retriedAs, retry_of: taskId },
        `${retriedAs} is the new task; ${taskId} stays as it is.`,
      );
    },
  },

  'task read TASK': {
    summary: "Print a link that shows a partner's book side by side for an hour; written to the audit log.",
    examples: ['task read task_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args) {
      await using session = await operatorSession();
      const { config, db, secrets, actor } = session;
      const path = await openForOperator(db, actor, args.positionals[0] ?? '', secrets.urlSigningKey);
      const url = `${config.publicUrl ?? `http://${config.host}:${config.port}`}${path}`;
      printAnswer(args, { url }, url);
    },
  },

  'task download TASK': {
    options: {
      file: option('FILE_ID', `${outputFileIds.join(', ')}; the first by default`),
      out: option('PATH', 'file to write to; one of its own name in this folder by default'),
      overwrite: flag('replace a file that exists'),
    },
    summary: "Download a file of a partner's finished task; written to the audit log.",
    examples: ['task download task_n7121r6nn9dy8qdwpzkv720ew8 --file bilingual'],
    async run(args) {
      const fileId = oneOf(args.options.file, 'file', outputFileIds) ?? 'translated';
      const [taskId = ''] = args.positionals;
      await using session = await operatorSession();
      const { services } = await session.openApplication();
      const { fileName, storageKey, sizeBytes } = await fileForOperator(services, session.actor, { taskId, fileId });
      const path = args.options.out ?? basename(fileName);
      const { body } = await services.storage.get(storageKey);
      const flags = args.flags.overwrite ? 'w' : 'wx';
      await pipeline(body, createWriteStream(path, { flags })).catch((error) => {
        throw (error as NodeJS.ErrnoException).code === 'EEXIST'
          ? new Error(`${path} exists; --overwrite replaces it.`)
          : error;
      });
      printAnswer(
        args,
        { task_id: taskId, file_id: fileId, path, size_bytes: sizeBytes },
        `${path} (${sizeBytes} bytes)`,
      );
    },
  },
});

function taskFields(task: FoundTask) {
  return {
    task_id: task.id,
    ...wireFields(task, 'accountId', 'accountName', 'action', 'status', 'stage', 'progress'),
    ...wireFields(task, 'charCount', 'creditsCharged', 'errorCode', 'engineFault', 'attempt', 'createdAt', 'endedAt'),
  };
}
