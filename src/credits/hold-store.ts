import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Columns } from '../platform/database-types.ts';
import type { Trx } from '../platform/postgres.ts';

export interface HeldCredits {
  heldCredits: number;
  /** After the hold. */
  availableCredits: number;
  /** The account is notified below this. */
  lowBalanceCredits: number | undefined;
}

/**
 * Moves credits from available to reserved for a task, or changes nothing.
 * @throws PAYMENT_REQUIRED when the available credits do not cover it
 */
export async function takeHold(trx: Trx, accountId: string, taskId: string, credits: number): Promise<HeldCredits> {
  const { rows } = await sql<Columns<'credit_balances', 'available'> & Columns<'accounts', 'low_balance_credits'>>`
    with ${holdParts(accountId, taskId, credits)}
    select available, low_balance_credits from balance join accounts on accounts.id = balance.account_id`.execute(trx);
  const held = rows[0];
  if (held)
    return {
      heldCredits: credits,
      availableCredits: held.available,
      lowBalanceCredits: held.low_balance_credits ?? undefined,
    };
  const { rows: current } = await sql<Columns<'credit_balances', 'available'>>`
    select available from credit_balances where account_id = ${accountId}`.execute(trx);
  throw new AppError('PAYMENT_REQUIRED', 'The prepaid credits do not cover this task; nothing was created.', {
    details: { required_credits: credits, balance_credits: current[0]?.available ?? 0 },
  });
}

/** Parts of a statement, of which `balance` has a row when the hold was taken. */
function holdParts(accountId: string, taskId: string, credits: number): RawBuilder<unknown> {
  return sql`balance as (
      update credit_balances set available = available - ${credits}, reserved = reserved + ${credits}
      where account_id = ${accountId} and available >= ${credits}
      returning account_id, available
    ), paid as (select ${taskId}::text as id, account_id, ${credits}::bigint as held from balance), ${heldParts}`;
}

/**
 * Parts of a statement that takes the holds of many tasks, `asked (id, account_id, held)`; `paid` has the rows of those accounts
 * whose credits cover all of theirs and stay above the threshold that they are notified at.
 * @param wait for accounts that another transaction changes just now; otherwise they are left out, so that nobody waits for another
 */
export function manyHoldsParts(wait: boolean): RawBuilder<unknown> {
  return sql`payer as (
      select account_id, sum(held)::bigint as due from asked group by account_id
    ), unlocked as materialized (
      select account_id from credit_balances where account_id in (select account_id from payer where due > 0)
      order by account_id for no key update ${sql.raw(wait ? '' : 'skip locked')}
    ), balance as (
      update credit_balances set available = available - due, reserved = reserved + due
      from payer join unlocked using (account_id)
      where credit_balances.account_id = payer.account_id and available >= due and not exists (
        select from accounts where accounts.id = payer.account_id and available >= low_balance_credits and available - due < low_balance_credits
      )
      returning credit_balances.account_id
    ), paid as materialized (
      select * from asked
      where account_id in (select account_id from balance) or account_id in (select account_id from payer where due = 0)
    ), ${heldParts}`;
}

const heldParts = sql`hold as (
      insert into credit_holds (task_id, account_id, amount) select id, account_id, held from paid where held > 0
    ), transfer as (
      insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id)
      select account_id, 'hold', 'available', 'reserved', held, id from paid where held > 0
    )`;

/**
 * Ends the hold of a task: charges `credits` of it (never more than it) and releases the rest. A task without a hold
 * costs nothing. Returns what was charged. The database refuses to end a hold twice.
 */
export async function settleHold(trx: Trx, taskId: string, credits: number): Promise<number> {
  const { rows } = await sql<Columns<'credit_holds', 'charged'>>`
    with hold as (
      update credit_holds h set
        charged = least(${credits}, h.amount), released = h.amount - least(${credits}, h.amount), ended_at = now()
      where h.task_id = ${taskId} and h.ended_at is null
      returning h.account_id, h.amount, h.charged, h.released
    ), balance as (
      update credit_balances b set
        available = b.available + hold.released, reserved = b.reserved - hold.amount, spent = b.spent + hold.charged
      from hold where b.account_id = hold.account_id
    ), transfer as (
      insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id)
      select account_id, 'charge', 'reserved', 'spent', charged, ${taskId} from hold where charged > 0
      union all
      select account_id, 'release', 'reserved', 'available', released, ${taskId} from hold where released > 0
    ), period as (
      insert into credit_periods as p (account_id, period_start, used_credits)
      select a.id, b.period_start, hold.charged
      from hold join accounts a on a.id = hold.account_id
      cross join lateral billing_period(a.created_at, a.billing_period, now()) b
      where hold.charged > 0
      on conflict (account_id, period_start) do update set used_credits = p.used_credits + excluded.used_credits
    )
    select charged from hold`.execute(trx);
  return rows[0]?.charged ?? 0;
}
