import { type RawBuilder, sql } from 'kysely';
import type { DeliveryStatus, Webhook } from '../events/webhook.ts';
import { webhookNotFound } from '../events/webhook-store.ts';
import { readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface ListedDelivery extends Pick<Webhook, 'url' | 'enabled' | 'accountId'> {
  id: string;
  webhookId: string;
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

export interface DeliveryFilter {
  status: DeliveryStatus | undefined;
  webhookId: string | undefined;
  before: string | undefined;
  limit: number;
}

/** Over all accounts, newest first. */
export async function recentDeliveries(db: Db, filter: DeliveryFilter): Promise<ListedDelivery[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (filter.webhookId !== undefined) conditions.push(sql`webhook_id = ${filter.webhookId}`);
  if (filter.status !== undefined) conditions.push(sql`status = ${filter.status}`);
  if (filter.before !== undefined)
    conditions.push(
      sql`(created_at, id) < (select b.created_at, b.id from webhook_deliveries b where b.id = ${filter.before})`,
    );
  return await readRows<ListedDelivery>(db)`
    select d.id, d.webhook_id, w.url, w.enabled, d.account_id, a.name as account_name, e.type as event_type, e.task_id, d.status, d.attempts,
      d.next_attempt_at, d.created_at, t.status_code, t.error
    from (select * from webhook_deliveries where ${sql.join(conditions, sql` and `)} order by created_at desc, id desc limit ${filter.limit}) d
    join webhooks w on w.id = d.webhook_id join accounts a on a.id = d.account_id
    join events e on e.account_id = d.account_id and e.place = d.event_place
    left join webhook_attempts t on t.delivery_id = d.id and t.number = d.attempts
    order by d.created_at desc, d.id desc`;
}

export type ListedWebhook = Omit<Webhook, 'previousSecretUntil'> & { accountName: string };

/** @throws NOT_FOUND */
export async function findWebhookOfAny(db: Db, id: string): Promise<ListedWebhook> {
  const webhook = await readRow<ListedWebhook>(db)`
    select w.id, w.url, w.description, w.event_types, w.enabled, w.disabled_reason, w.failing_since, w.sandbox, w.account_id,
      a.name as account_name, w.created_at
    from webhooks w join accounts a on a.id = w.account_id where w.id = ${id}`;
  if (!webhook) throw webhookNotFound();
  return webhook;
}
