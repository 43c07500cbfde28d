/** Everything an operator wants to know of one task, and what happened to it in order. */

import { readTaskLog } from '../books/task-log-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { Task } from '../tasks/task.ts';
import { readOutputs } from '../tasks/task-store.ts';
import { auditOf, type RecordedAudit } from './audit-store.ts';
import { engineUsageOfTask } from './engine-usage-store.ts';
import { adviceOn } from './task-advice.ts';
import {
  findStoredTask,
  readTaskCare,
  readTaskWork,
  type TaskTransfer,
  type TaskWork,
  transfersOfTask,
} from './task-story-store.ts';

export interface Moment {
  at: Date;
  what: string;
}

export type TaskStory = Awaited<ReturnType<typeof tellTask>>;

/** @throws NOT_FOUND */
export async function tellTask(db: Db, taskId: string) {
  const stored = await findStoredTask(db, taskId);
  const [work, transfers, outputs, engines, care, log, changes] = await Promise.all([
    readTaskWork(db, taskId),
    transfersOfTask(db, taskId),
    readOutputs(db, taskId),
    engineUsageOfTask(db, taskId),
    readTaskCare(db, taskId),
    readTaskLog(db, taskId),
    auditOf(db, taskId),
  ]);
  const timeline = timelineOf(stored.task, work, transfers, changes);
  return { ...stored, work, outputs, engines, care, log, timeline, advice: adviceOn(stored, engines) };
}

function timelineOf(
  task: Task,
  work: TaskWork,
  transfers: readonly TaskTransfer[],
  changes: readonly RecordedAudit[],
): Moment[] {
  const moments: Moment[] = [{ at: task.createdAt, what: 'created' }];
  for (const { at, kind, credits } of transfers)
    moments.push({ at, what: `${transferWords[kind] ?? kind}: ${credits.toLocaleString('en')} credits` });
  if (work.firstAt) moments.push({ at: work.firstAt, what: 'first passage finished' });
  if (work.lastAt && work.segments > 1)
    moments.push({
      at: work.lastAt,
      what: `${task.status === 'pending' ? 'newest' : 'last'} passage finished (${work.segments.toLocaleString('en')} in all)`,
    });
  for (const change of changes) moments.push({ at: change.at, what: `${change.action} by ${change.actor}` });
  if (task.endedAt)
    moments.push({ at: task.endedAt, what: task.error ? `${task.status}: ${task.error.code}` : task.status });
  if (task.purgedAt) moments.push({ at: task.purgedAt, what: 'text removed' });
  return moments.sort((a, b) => a.at.getTime() - b.at.getTime());
}

const transferWords: Record<string, string> = {
  hold: 'credits held',
  charge: 'credits charged',
  release: 'credits released',
  refund: 'credits refunded',
};
