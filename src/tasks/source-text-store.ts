/** Sources that are small texts: rows beside their tasks, and no objects. Their key says so. */
import type { Row } from '../platform/database-types.ts';
import { readValue } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

const prefix = 'texts/';

export function textKeyOf(taskId: string): string {
  return `${prefix}${taskId}`;
}

export function isTextKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** Undefined when the task was purged. */
export async function readText(db: Db, key: string): Promise<Uint8Array | undefined> {
  return await readValue<Row<'task_texts'>['content']>(db)`
    select content from task_texts where task_id = ${key.slice(prefix.length)}`;
}
