/** Work of engines that nobody pays for, by account and day. The database's clock says which day it is, in UTC. */
import { sql } from 'kysely';
import type { AdmissionColumns } from '../accounts/admission-store.ts';
import type { Admission } from '../accounts/admit.ts';
import type { Columns } from '../platform/database-types.ts';
import type { Db, Trx } from '../platform/postgres.ts';

export interface UnchargedToday {
  characters: number;
  /** Until the day ends. */
  secondsLeft: number;
}

const day = `(now() at time zone 'UTC')::date`;
const today = sql.raw(day);

/** Read with the admission of a create. */
export const unchargedColumns: AdmissionColumns = {
  name: 'create',
  select: `coalesce(work.characters, 0)::bigint as uncharged_characters,
    ceil(extract(epoch from (${day} + 1)::timestamp - now() at time zone 'UTC'))::int as uncharged_seconds_left`,
  joins: `left join uncharged_work work on work.account_id = caller.account_id and work.day = ${day}`,
};

export function unchargedOf({ extra }: Admission): UnchargedToday {
  const { uncharged_characters, uncharged_seconds_left } = extra;
  return { characters: Number(uncharged_characters), secondsLeft: Math.max(1, Number(uncharged_seconds_left)) };
}

export async function addUncharged(trx: Trx, accountId: string, characters: number): Promise<void> {
  if (characters <= 0) return;
  await sql`
    insert into uncharged_work as w (account_id, day, characters) values (${accountId}, ${today}, ${characters})
    ${addedToTheDay}`.execute(trx);
}

/** What engines were sent for a task so far. */
export async function readSent(trx: Trx, taskId: string): Promise<number> {
  const { rows } = await sql<
    Columns<'tasks', 'sent_characters'>
  >`select sent_characters from tasks where id = ${taskId}`.execute(trx);
  return rows[0]?.sent_characters ?? 0;
}

/** Notes what engines were sent beside any checkpoint. A task that has ended meanwhile was cancelled: it pays for nothing more. */
export async function recordSent(db: Db, taskId: string, characters: number): Promise<void> {
  if (characters <= 0) return;
  await sql`
    with noted as (
      update tasks set sent_characters = sent_characters + ${characters} where id = ${taskId} and status = 'pending' returning id
    )
    insert into uncharged_work as w (account_id, day, characters)
    select account_id, ${today}, ${characters} from tasks
    where id = ${taskId} and not sandbox and not exists (select from noted)
    ${addedToTheDay}`.execute(db);
}

const addedToTheDay = sql`
  on conflict (account_id) do update set day = excluded.day,
    characters = excluded.characters + case when w.day = excluded.day then w.characters else 0 end`;
