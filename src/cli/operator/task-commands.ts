import { findAccount } from '../../accounts/account-store.ts';
import { cancelForOperator, requeueForOperator } from '../../operators/task-changes.ts';
import { searchTasks } from '../../operators/task-search-store.ts';
import { tellTask } from '../../operators/task-story.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { JobQueue } from '../../platform/queue.ts';
import { statuses } from '../../tasks/states.ts';
import { type Command, limitOption, listLimit, oneOf, optionalText } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';
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
      const wanted = optionalText(args, 'account');
      const accountId = wanted === undefined ? undefined : (await findAccount(db, wanted)).id;
      const text = optionalText(args, 'search');
      const tasks = await searchTasks(db, { text, accountId, status, limit });
      const rows = tasks.map((task) => ({
        task_id: task.id,
        account_id: task.accountId,
        account_name: task.accountName,
        action: task.action,
        status: task.status,
        stage: task.stage,
        progress: task.progress,
        char_count: task.charCount,
        credits_charged: task.creditsCharged ?? null,
        error_code: task.errorCode ?? null,
        engine_fault: task.engineFault ?? null,
        attempt: task.attempt,
        created_at: task.createdAt.toISOString(),
        ended_at: task.endedAt?.toISOString() ?? null,
      }));
      if (args.json) return printJson(rows);
      if (rows.length === 0) return printLine('There is no task.');
      printTable(
        ['TASK', 'ACCOUNT', 'ACTION', 'STAGE', 'PROGRESS', 'CHARACTERS', 'CHARGED', 'CREATED'],
        rows.map((row) => [
          row.task_id,
          row.account_name,
          row.action,
          row.error_code ?? row.stage,
          `${Math.floor(row.progress * 100)} %`,
          row.char_count,
          String(row.credits_charged ?? ''),
          row.created_at,
        ]),
      );
    });
  },
};

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
      const task = await withQueue(openQueue, (queue) =>
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
      const task = await withQueue(openQueue, (queue) =>
        requeueForOperator({ db, queue }, actor, args.positionals[0] as string),
      );
      if (args.json) return printJson({ task_id: task.id, status: task.status, job_id: task.jobId });
      printLine(`${task.id} waits for a worker again.`);
    });
  },
};

async function withQueue<T>(open: () => Promise<JobQueue>, use: (queue: JobQueue) => Promise<T>): Promise<T> {
  const queue = await open();
  try {
    return await use(queue);
  } finally {
    await queue.stop();
  }
}

export const taskCommands: Command[] = [listCommand, showCommand, cancelCommand, requeueCommand];
