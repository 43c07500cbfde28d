/** What happened to a task, for the operator who asks. Goes with the text of the task: an engine may quote it. */
import { type RawBuilder, sql } from 'kysely';
import { change, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import type { Attempt } from '../tasks/attempt.ts';

export type LogLevel = 'info' | 'warn' | 'error';

export interface TaskLogLine {
  at: Date;
  attempt: number;
  level: LogLevel;
  text: string;
}

/** A task that waits for an engine says so every few seconds, for days. */
export const keptLogLines = 200;
const maxLineCharacters = 500;

/** Never in the way of the task itself: a line that cannot be written is left out. */
export async function appendTaskLog(db: Db, attempt: Attempt, level: LogLevel, text: string): Promise<void> {
  const line = text.replaceAll('\0', '').slice(0, maxLineCharacters);
  await change(db)`
    with older as (
      delete from task_log where id in (
        select id from task_log where task_id = ${attempt.taskId} order by id desc offset ${keptLogLines - 1})
    )
    insert into task_log (task_id, attempt, level, text) values (${attempt.taskId}, ${attempt.number}, ${level}, ${line})`.catch(
    () => {},
  );
}

/** For the statement that takes a task, where `taken` gives its `id` and `attempt`. Stages are logged by a trigger. */
export function logAttempt(taken: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`insert into task_log (task_id, attempt, level, text) select id, attempt, 'info', ${text} from ${taken}`;
}

/** Oldest first. */
export async function readTaskLog(db: Db, taskId: string): Promise<TaskLogLine[]> {
  return await readRows<TaskLogLine>(db)`
    select at, attempt, level, text from (
      select id, at, attempt, level, text from task_log where task_id = ${taskId} order by id desc limit ${keptLogLines}
    ) newest order by id`;
}
