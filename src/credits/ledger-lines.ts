/** The ledger as a partner reads it: one line per movement of credits, newest first. */
import { sql } from 'kysely';
import { badRequest } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';

export interface LedgerLine {
  entryId: number;
  kind: 'top_up' | 'hold' | 'charge' | 'release' | 'refund';
  credits: number;
  taskId: string | undefined;
  externalId: string | undefined;
  reference: string | undefined;
  /** Of a refund; for operators. */
  reason: string | undefined;
  createdAt: Date;
}

/** @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfLedger(
  db: Db,
  accountId: string,
  limit: number,
  cursor: string | undefined,
): Promise<{ lines: LedgerLine[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[1-9]\d{0,15}$/.test(cursor)) {
    throw badRequest('This cursor is not one that was handed out.', { field: 'cursor', reason: 'BAD_CURSOR' });
  }
  const { rows } = await sql<{
    id: number;
    kind: LedgerLine['kind'];
    amount: number;
    task_id: string | null;
    external_id: string | null;
    reference: string | null;
    reason: string | null;
    created_at: Date;
  }>`
    select t.id, t.kind, t.amount, coalesce(t.task_id, t.refunded_task_id) as task_id, k.external_id, t.reference, t.reason, t.created_at
    from credit_transfers t left join tasks k on k.id = coalesce(t.task_id, t.refunded_task_id)
    where t.account_id = ${accountId} and (${cursor ?? null}::bigint is null or t.id < ${cursor ?? null}::bigint)
    order by t.id desc limit ${limit + 1}`.execute(db);
  const lines = rows.slice(0, limit).map((row) => ({
    entryId: row.id,
    kind: row.kind,
    credits: row.amount,
    taskId: row.task_id ?? undefined,
    externalId: row.external_id ?? undefined,
    reference: row.reference ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: row.created_at,
  }));
  return { lines, nextCursor: rows.length > limit ? String(lines.at(-1)?.entryId) : null };
}
