import { AppError } from '../errors.ts';
import { readCount, readRow } from '../platform/from-row.ts';
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
  const held = await readRow<Omit<HeldCredits, 'heldCredits'>>(trx)`
    with balance as (
      update credit_balances set available = available - ${credits}, reserved = reserved + ${credits}
      where account_id = ${accountId} and available >= ${credits}
      returning account_id, available
    ), hold as (
      insert into credit_holds (task_id, account_id, amount)
      select ${taskId}, account_id, ${credits}::bigint from balance where ${credits}::bigint > 0
    ), transfer as (
      insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id)
      select account_id, 'hold', 'available', 'reserved', ${credits}::bigint, ${taskId} from balance where ${credits}::bigint > 0
    )
    select available as available_credits, low_balance_credits from balance join accounts on accounts.id = balance.account_id`;
  if (held) return { heldCredits: credits, ...held };
  const available = await readCount(trx)`
    select available from credit_balances where account_id = ${accountId}`;
  throw new AppError('PAYMENT_REQUIRED', 'The prepaid credits do not cover this task; nothing was created.', {
    details: { required_credits: credits, balance_credits: available },
  });
}

/**
 * Ends the hold of a task: charges `credits` of it (never more than it) and releases the rest. A task without a hold
 * costs nothing. Returns what was charged. The database refuses to end a hold twice.
 */
export async function settleHold(trx: Trx, taskId: string, credits: number): Promise<number> {
  return await readCount(trx)`
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
    select charged from hold`;
}
