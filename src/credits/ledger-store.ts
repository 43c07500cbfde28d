import { badField } from '../errors.ts';
import type { Row } from '../platform/database-types.ts';
import { change, readCount, readRow, readRows, readValue } from '../platform/from-row.ts';
import { badCursor, pageOf } from '../platform/list-page-store.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Balance, LedgerLine, Usage } from './credits.ts';

/** Every account has its row of balances from the start, so there is always something to lock. */
export async function openBalance(trx: Trx, accountId: string): Promise<void> {
  await change(trx)`insert into credit_balances (account_id) values (${accountId})`;
}

/**
 * Adds credits once per reference. The balance row is locked first, so two top-ups with the same reference cannot overtake each other.
 * @throws BAD_REQUEST when the reference was used for another amount
 */
export async function addCredits(
  trx: Trx,
  accountId: string,
  credits: number,
  reference?: string,
): Promise<{ applied: boolean }> {
  await change(trx)`select from credit_balances where account_id = ${accountId} for update`;
  if (reference !== undefined) {
    const earlier = await readValue<Row<'credit_transfers'>['amount']>(trx)`
      select amount from credit_transfers where account_id = ${accountId} and reference = ${reference}`;
    if (earlier !== undefined && earlier !== credits)
      throw badField(
        'REFERENCE_REUSED',
        `The reference "${reference}" was used for a top-up of ${earlier} credits.`,
        'reference',
      );
    if (earlier !== undefined) return { applied: false };
  }
  await change(trx)`
    with transfer as (
      insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, reference)
      values (${accountId}, 'top_up', 'granted', 'available', ${credits}, ${reference ?? null})
    )
    update credit_balances set granted = granted + ${credits}, available = available + ${credits}
    where account_id = ${accountId}`;
  return { applied: true };
}

/**
 * Moves spent credits back to the available ones, once per reference.
 * @throws BAD_REQUEST when less was spent, by the account or by the task, or the reference was used for something else
 */
export async function returnCredits(
  trx: Trx,
  refund: { accountId: string; credits: number; reference: string; reason: string; taskId?: string | undefined },
): Promise<{ applied: boolean }> {
  const { accountId, credits, reference, reason, taskId } = refund;
  const spent = await readCount(trx)`
    select spent from credit_balances where account_id = ${accountId} for update`;
  const before = await readRow<{ kind: string; amount: number; refundedTaskId: string | undefined }>(trx)`
    select kind, amount, refunded_task_id from credit_transfers
    where account_id = ${accountId} and reference = ${reference}`;
  if (before) {
    if (before.kind === 'refund' && before.amount === credits && before.refundedTaskId === taskId)
      return { applied: false };
    throw badField('REFERENCE_REUSED', `The reference "${reference}" was used before for something else.`, 'reference');
  }
  const limit = taskId === undefined ? spent : await refundable(trx, accountId, taskId);
  if (credits > limit) throw badField('REFUND_TOO_LARGE', `At most ${limit} credits can be refunded here.`, 'credits');
  await change(trx)`
    with transfer as (
      insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, reference, reason, refunded_task_id)
      values (${accountId}, 'refund', 'spent', 'available', ${credits}, ${reference}, ${reason}, ${taskId ?? null})
    )
    update credit_balances set spent = spent - ${credits}, available = available + ${credits}
    where account_id = ${accountId}`;
  return { applied: true };
}

/** What a task cost, minus refunds. 0 for a task of another account. */
async function refundable(trx: Trx, accountId: string, taskId: string): Promise<number> {
  return await readCount(trx)`
    select coalesce(sum(case when kind = 'charge' then amount else -amount end), 0)::bigint as credits
    from credit_transfers
    where account_id = ${accountId} and ((task_id = ${taskId} and kind = 'charge') or refunded_task_id = ${taskId})`;
}

export async function readBalance(db: Db, accountId: string): Promise<Balance> {
  return (await readBalances(db, [accountId])).get(accountId) ?? emptyBalance;
}

const emptyBalance: Balance = { grantedCredits: 0, availableCredits: 0, reservedCredits: 0, spentCredits: 0 };

export async function readBalances(db: Db, accountIds: readonly string[]): Promise<Map<string, Balance>> {
  const rows = await readRows<Balance & { accountId: string }>(db)`
    select account_id, granted as granted_credits, available as available_credits, reserved as reserved_credits, spent as spent_credits
    from credit_balances where account_id = any(${accountIds})`;
  return new Map(rows.map(({ accountId, ...balance }) => [accountId, balance]));
}

/** The balance, and what was charged in the billing period of today. */
export async function readUsage(db: Db, accountId: string): Promise<Usage> {
  const usage = await readRow<Usage>(db)`
    select b.available as balance_credits, b.reserved as reserved_credits, coalesce(u.used_credits, 0) as period_used_credits,
      p.period_start, p.period_end
    from accounts a join credit_balances b on b.account_id = a.id
    cross join lateral billing_period(a.created_at, a.billing_period, clock_timestamp()) p
    left join credit_periods u on u.account_id = a.id and u.period_start = p.period_start
    where a.id = ${accountId}`;
  if (!usage) throw new Error('the account has no balance');
  return usage;
}

/** Credits held for running tasks, over all accounts. */
export async function totalReserved(db: Db): Promise<number> {
  return await readCount(db)`
    select coalesce(sum(reserved), 0)::bigint as reserved from credit_balances where reserved > 0`;
}

/**
 * Movements of an account, newest first. A test key is not shown those of tasks: its own move no credits.
 * @throws BAD_REQUEST when the cursor is not one of ours
 */
export async function pageOfLedger(
  db: Db,
  { accountId, sandbox }: Owner,
  limit: number,
  cursor: string | undefined,
): Promise<{ lines: LedgerLine[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[1-9]\d{0,15}$/.test(cursor)) throw badCursor();
  const before = cursor === undefined ? null : Number(cursor);
  const rows = await readRows<LedgerLine>(db)`
    select t.id as entry_id, t.kind, t.amount as credits, coalesce(t.task_id, t.refunded_task_id) as task_id, k.external_id, t.reference, t.reason,
      t.created_at
    from credit_transfers t left join tasks k on k.id = coalesce(t.task_id, t.refunded_task_id)
    where t.account_id = ${accountId} and (${before}::bigint is null or t.id < ${before}::bigint)
      and (not ${sandbox}::boolean or coalesce(t.task_id, t.refunded_task_id) is null)
    order by t.id desc limit ${limit + 1}`;
  const { shown: lines, nextCursor } = pageOf(rows, limit, ({ entryId }) => String(entryId));
  return { lines, nextCursor };
}
