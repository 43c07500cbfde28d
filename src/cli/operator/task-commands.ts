import { findAccount } from '../../accounts/account-store.ts';
import { recordAudit } from '../../operators/audit-store.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { JobQueue } from '../../platform/queue.ts';
import { cancelTask } from '../../tasks/end-task.ts';
import { requeueTask } from '../../tasks/requeue-task.ts';
import { type Status, statuses } from '../../tasks/task.ts';
import { recentTasks } from '../../tasks/task-store.ts';
import { type Command, optionalText, UsageError, wholeNumber } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

const listCommand: Command = {
  name: 'task list',
  positionals: [],
  options: { account: { type: 'string' }, status: { type: 'string' }, limit: { type: 'string' } },
  summary: 'List the newest tasks of all accounts, or of one.',
  async run(args) {
    const status = optionalText(args, 'status');
    if (status !== undefined && !(statuses as readonly string[]).includes(status))
      throw new UsageError(`--status is one of ${statuses.join(', ')}, not "${status}".`);
    const limit = wholeNumber(optionalText(args, 'limit') ?? '20', '--limit');
    if (limit < 1 || limit > 1000) throw new UsageError('--limit is a number from 1 to 1000.');
    await withOperatorSession(async ({ db }) => {
      const wanted = optionalText(args, 'account');
      const accountId = wanted === undefined ? undefined : (await findAccount(db, wanted)).id;
      const tasks = await recentTasks(db, { accountId, status: status as Status | undefined, limit });
      const rows = tasks.map(shownTask);
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
  summary: 'Show one task of any account, with what the engines said when they last failed it.',
  async run(args) {
    const id = args.positionals[0] as string;
    await withOperatorSession(async ({ db }) => {
      const [found] = await recentTasks(db, { id, limit: 1 });
      if (found === undefined) throw new Error(`There is no task "${id}".`);
      const shown = shownTask(found);
      if (args.json) return printJson(shown);
      printTable(
        ['FIELD', 'VALUE'],
        Object.entries(shown).map(([field, value]) => [field, String(value ?? '–')]),
      );
    });
  },
};

function shownTask({ task, accountName, engineFault }: Awaited<ReturnType<typeof recentTasks>>[number]) {
  return {
    task_id: task.id,
    account_id: task.accountId,
    account_name: accountName,
    action: task.action,
    status: task.status,
    stage: task.stage,
    progress: task.progress,
    char_count: task.charCount,
    credits_charged: task.creditsCharged ?? null,
    error_code: task.error?.code ?? null,
    engine_fault: engineFault,
    attempt: task.attempt,
    created_at: task.createdAt.toISOString(),
    ended_at: task.endedAt?.toISOString() ?? null,
  };
}

const cancelCommand: Command = {
  name: 'task cancel',
  positionals: ['TASK'],
  options: {},
  summary: 'Cancel a pending task: what was finished is charged, the rest of its hold is released.',
  async run(args) {
    await withOperatorSession(async ({ db, openQueue, actor }) => {
      const task = await withQueue(openQueue, (queue) =>
        cancelTask({ db, queue, metrics: createMetrics() }, undefined, args.positionals[0] as string),
      );
      await db.transaction().execute((trx) =>
        recordAudit(trx, {
          actor,
          action: 'task.cancel',
          subject: task.id,
          accountId: task.accountId,
          details: { credits_charged: task.creditsCharged ?? 0 },
        }),
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
  async run(args) {
    await withOperatorSession(async ({ db, openQueue, actor }) => {
      const task = await withQueue(openQueue, (queue) => requeueTask({ db, queue }, args.positionals[0] as string));
      await db.transaction().execute((trx) =>
        recordAudit(trx, {
          actor,
          action: 'task.requeue',
          subject: task.id,
          accountId: task.accountId,
          details: { job: task.jobId },
        }),
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
