/** Work of engines that nobody pays for, by account and day. The database's clock says which day it is, in UTC. */
import { sql } from 'kysely';
import { change, readCount, readRow } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';

export interface UnchargedToday {
  characters: number;
  /** Until the day ends. */
  secondsLeft: number;
}

const today = sql`(now() at time zone 'UTC')::date`;

export async function readUncharged(db: Db, accountId: string): Promise<UnchargedToday> {
  const uncharged = await readRow<UnchargedToday>(db)`
    select coalesce(sum(characters), 0)::bigint as characters,
      ceil(extract(epoch from (${today} + 1)::timestamp - now() at time zone 'UTC'))::int as seconds_left
    from uncharged_work where account_id = ${accountId} and day = ${today}`;
  const { characters = 0, secondsLeft = 1 } = uncharged ?? {};
  return { characters, secondsLeft: Math.max(1, secondsLeft) };
}

export async function addUncharged(trx: Trx, accountId: string, characters: number): Promise<void> {
  if (characters <= 0) return;
  await change(trx)`
    insert into uncharged_work as w (account_id, day, characters) values (${accountId}, ${today}, ${characters})
    ${addedToTheDay}`;
}

/** What engines were sent for a task so far. */
export async function readSent(trx: Trx, taskId: string): Promise<number> {
  return await readCount(trx)`select sent_characters from tasks where id = ${taskId}`;
}

/** Notes what engines were sent beside any checkpoint. A task that has ended meanwhile was cancelled: it pays for nothing more. */
export async function recordSent(db: Db, taskId: string, characters: number): Promise<void> {
  if (characters <= 0) return;
  await change(db)`
    with noted as (
      update tasks set sent_characters = sent_characters + ${characters} where id = ${taskId} and status = 'pending' returning id
    )
    insert into uncharged_work as w (account_id, day, characters)
    select account_id, ${today}, ${characters} from tasks
    where id = ${taskId} and not sandbox and not exists (select from noted)
    ${addedToTheDay}`;
}

const addedToTheDay = sql`
  on conflict (account_id) do update set day = excluded.day,
    characters = excluded.characters + case when w.day = excluded.day then w.characters else 0 end`;
