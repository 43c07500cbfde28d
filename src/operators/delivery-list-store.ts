import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { DeliveryStatus } from '../events/webhook.ts';
import type { Db } from '../platform/postgres.ts';

export interface ListedDelivery {
  id: string;
  webhookId: string;
  url: string;
  enabled: boolean;
  accountId: string;
  accountName: string;
  eventType: string;
  taskId: string | undefined;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | undefined;
  createdAt: Date;
  /** Of the last attempt. */
  statusCode: number | undefined;
  error: string | undefined;
}

/** Over all accounts, newest first. */
export async function recentDeliveries(
  db: Db,
  filter: {
    status?: DeliveryStatus | undefined;
    webhookId?: string | undefined;
    before?: string | undefined;
    limit: number;
  },
): Promise<ListedDelivery[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (filter.webhookId !== undefined) conditions.push(sql`webhook_id = ${filter.webhookId}`);
  if (filter.status !== undefined) conditions.push(sql`status = ${filter.status}`);
  if (filter.before !== undefined)
    conditions.push(
      sql`(created_at, id) < (select b.created_at, b.id from webhook_deliveries b where b.id = ${filter.before})`,
    );
  const { rows } = await sql<{
    id: string;
    webhook_id: string;
    url: string;
    enabled: boolean;
    account_id: string;
    account_name: string;
    event_type: string;
    task_id: string | null;
    status: DeliveryStatus;
    attempts: number;
    next_attempt_at: Date | null;
    created_at: Date;
    status_code: number | null;
    error: string | null;
  }>`
    select d.id, d.webhook_id, w.url, w.enabled, d.account_id, a.name as account_name, e.type as event_type, e.task_id, d.status, d.attempts,
      d.next_attempt_at, d.created_at, t.status_code, t.error
    from (select * from webhook_deliveries where ${sql.join(conditions, sql` and `)} order by created_at desc, id desc limit ${filter.limit}) d
    join webhooks w on w.id = d.webhook_id join accounts a on a.id = d.account_id
    join events e on e.account_id = d.account_id and e.place = d.event_place
    left join webhook_attempts t on t.delivery_id = d.id and t.number = d.attempts
    order by d.created_at desc, d.id desc`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    enabled: row.enabled,
    accountId: row.account_id,
    accountName: row.account_name,
    eventType: row.event_type,
    taskId: row.task_id ?? undefined,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    createdAt: row.created_at,
    statusCode: row.status_code ?? undefined,
    error: row.error ?? undefined,
  }));
}

export interface ListedWebhook {
  id: string;
  url: string;
  description: string;
  eventTypes: string[];
  enabled: boolean;
  disabledReason: string | undefined;
  failingSince: Date | undefined;
  sandbox: boolean;
  accountId: string;
  accountName: string;
  createdAt: Date;
}

/** @throws NOT_FOUND */
export async function findWebhookOfAny(db: Db, id: string): Promise<ListedWebhook> {
  const { rows } = await sql<{
    id: string;
    url: string;
    description: string;
    event_types: string[];
    enabled: boolean;
    disabled_reason: string | null;
    failing_since: Date | null;
    sandbox: boolean;
    account_id: string;
    account_name: string;
    created_at: Date;
  }>`
    select w.id, w.url, w.description, w.event_types, w.enabled, w.disabled_reason, w.failing_since, w.sandbox, w.account_id,
      a.name as account_name, w.created_at
    from webhooks w join accounts a on a.id = w.account_id where w.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new AppError('NOT_FOUND', 'There is no such webhook.');
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    enabled: row.enabled,
    disabledReason: row.disabled_reason ?? undefined,
    failingSince: row.failing_since ?? undefined,
    sandbox: row.sandbox,
    accountId: row.account_id,
    accountName: row.account_name,
    createdAt: row.created_at,
  };
}
