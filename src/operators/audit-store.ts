/** The log of what operators changed. Written in the transaction of the change: neither exists without the other. */
import { type RawBuilder, sql } from 'kysely';
import { change, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface AuditEntry {
  /** Who: `command line (ana)`, `console (127.0.0.1)`. */
  actor: string;
  /** What, such as `account.suspend`. */
  action: string;
  /** On what: an id. */
  subject: string;
  accountId?: string | undefined;
  details?: Record<string, unknown>;
}

export interface RecordedAudit extends AuditEntry {
  id: number;
  at: Date;
  accountName: string | undefined;
}

/** @param db a transaction, where the entry is of a change and not of a look at something */
export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  await change(db)`
    insert into audit_log (actor, action, subject, account_id, details)
    values (${entry.actor}, ${entry.action}, ${entry.subject}, ${entry.accountId ?? null}, ${JSON.stringify(entry.details ?? {})})`;
}

export interface AuditFilter {
  limit: number;
  /** Entries older than this one. */
  before?: number | undefined;
  accountId?: string | undefined;
}

/** Newest first. */
export async function listAudit(db: Db, { limit, before, accountId }: AuditFilter): Promise<RecordedAudit[]> {
  const older = before === undefined ? sql`` : sql`and l.id < ${before}`;
  const ofAccount = accountId === undefined ? sql`` : sql`and l.account_id = ${accountId}`;
  return await readAudit(db, sql`${older} ${ofAccount} order by l.id desc limit ${limit}`);
}

/** What was done to one thing, oldest first. */
export async function auditOf(db: Db, subject: string): Promise<RecordedAudit[]> {
  return (await readAudit(db, sql`and l.subject = ${subject} order by l.id desc limit 200`)).reverse();
}

async function readAudit(db: Db, which: RawBuilder<unknown>): Promise<RecordedAudit[]> {
  return await readRows<RecordedAudit>(db)`
    select l.id, l.at, l.actor, l.action, l.subject, l.account_id, a.name as account_name, l.details
    from audit_log l left join accounts a on a.id = l.account_id where true ${which}`;
}
