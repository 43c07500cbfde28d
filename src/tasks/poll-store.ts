import { sql } from 'kysely';
import { onNobodysBehalf } from '../platform/fair-pool.ts';
import type { Database } from '../platform/postgres.ts';
import { Together } from '../platform/together.ts';
import type { Task, TaskOutput } from './task.ts';
import { listedColumns, requireTaskId, type TaskRow, taskColumns, taskNotFound, toTask } from './task-store.ts';

export interface PolledTask {
  task: Task;
  outputs: TaskOutput[];
}

interface Poll {
  accountId: string;
  taskId: string;
}

type PolledRow = TaskRow & { outputs: TaskOutput[] | null };

/** A task of this account with its outputs: what partners ask most. */
export class TaskPolls {
  readonly #database: Database;
  readonly #together: Together<Poll, PolledRow | 'large' | undefined>;

  constructor(database: Database) {
    this.#database = database;
    // Whoever asks at the same time shares the statement, so it is nobody's.
    this.#together = new Together((polls) => onNobodysBehalf(() => pollTogether(database, polls)));
  }

  /** @throws NOT_FOUND */
  async poll(accountId: string, taskId: string): Promise<PolledTask> {
    requireTaskId(taskId);
    const found = await this.#together.ask({ accountId, taskId });
    // Megabytes of results are read for the one who asked, and nobody else waits for them.
    const row = found === 'large' ? await pollAlone(this.#database, { accountId, taskId }) : found;
    if (!row) throw taskNotFound();
    return { task: toTask(row), outputs: row.outputs ?? [] };
  }
}

const outputsOfTask = sql`(
  select json_agg(json_build_object('fileId', file_id, 'fileName', file_name, 'mediaType', media_type, 'storageKey', storage_key,
    'sizeBytes', size_bytes, 'sha256', sha256) order by position)
  from task_outputs where task_id = tasks.id
) as outputs`;

async function pollTogether({ db }: Database, polls: readonly Poll[]): Promise<(PolledRow | 'large' | undefined)[]> {
  const { rows } = await sql<PolledRow & { place: number; is_large: boolean }>`
    select asked.place::int as place, ${listedColumns}, ${outputsOfTask}
    from unnest(${polls.map(({ taskId }) => taskId)}::text[], ${polls.map(({ accountId }) => accountId)}::text[])
      with ordinality as asked (id, account_id, place)
    join tasks on tasks.id = asked.id and tasks.account_id = asked.account_id`.execute(db);
  const found = new Map(rows.map(({ place, is_large, ...row }) => [place, is_large ? ('large' as const) : row]));
  return polls.map((_, i) => found.get(i + 1));
}

async function pollAlone({ db }: Database, { accountId, taskId }: Poll): Promise<PolledRow | undefined> {
  const { rows } = await sql<PolledRow>`
    select ${taskColumns}, ${outputsOfTask} from tasks where id = ${taskId} and account_id = ${accountId}`.execute(db);
  return rows[0];
}
