/** Lists over all accounts, newest first, and what stands behind a row of them. */
import { type RawBuilder, sql } from 'kysely';
import { type Account, accountNameKey } from '../accounts/account.ts';
import { AppError } from '../errors.ts';
import type { DeliveryStatus, Webhook } from '../events/webhook.ts';
import { webhookNotFound } from '../events/webhook-store.ts';
import { columnsOf, type RowOf, readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

/** Rows that come after one of this id. */
function olderThan(table: 'accounts' | 'series' | 'webhook_deliveries', before: string | undefined) {
  if (before === undefined) return sql`true`;
  return sql`(created_at, id) < (select o.created_at, o.id from ${sql.table(table)} o where o.id = ${before})`;
}

export type ListedAccount = Pick<Account, 'id' | 'name' | 'rateLimitPerMinute' | 'suspendedAt' | 'createdAt'> &
  Record<'available' | 'reserved' | 'spent', number>;

export interface AccountSearch {
  /** An id, or how a name begins, in any case. */
  text?: string | undefined;
  /** Accounts older than this one. */
  before?: string | undefined;
  limit: number;
}

export async function searchAccounts(db: Db, { text, before, limit }: AccountSearch): Promise<ListedAccount[]> {
  const conditions: RawBuilder<unknown>[] = [olderThan('accounts', before)];
  if (text !== undefined && text !== '') {
    const start = accountNameKey(text).replace(/[\\%_]/g, '\\$&');
    conditions.push(/^acc_[0-9a-z]{26}$/.test(text) ? sql`a.id = ${text}` : sql`a.name_key like ${`${start}%`}`);
  }
  return await readRows<ListedAccount>(db)`
    select a.id, a.name, a.rate_limit_per_minute, a.suspended_at, b.available, b.reserved, b.spent, a.created_at
    from (
      select * from accounts a where ${sql.join(conditions, sql` and `)} order by a.created_at desc, a.id desc limit ${limit}
    ) a join credit_balances b on b.account_id = a.id order by a.created_at desc, a.id desc`;
}

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

export async function recentDeliveries(db: Db, filter: DeliveryFilter): Promise<ListedDelivery[]> {
  const conditions: RawBuilder<unknown>[] = [olderThan('webhook_deliveries', filter.before)];
  if (filter.webhookId !== undefined) conditions.push(sql`webhook_id = ${filter.webhookId}`);
  if (filter.status !== undefined) conditions.push(sql`status = ${filter.status}`);
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

const columns = columnsOf('series', 'id title account_id sandbox source_lang target_lang style created_at');
export type ListedSeries = RowOf<typeof columns> & { accountName: string };

export async function recentSeries(
  db: Db,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<ListedSeries[]> {
  return await readRows<ListedSeries>(db)`
    select ${columns}, a.name as account_name
    from (select * from series where ${olderThan('series', before)} order by created_at desc, id desc limit ${limit}) series
    join accounts a on a.id = series.account_id order by series.created_at desc, series.id desc`;
}

const taskColumns = columnsOf('tasks', 'id file_name book_title status created_at');

export interface SeriesStory extends ListedSeries {
  tasks: RowOf<typeof taskColumns>[];
  /** In the order of their sources; one more than the limit when there are more. */
  terms: (Record<'source' | 'target' | 'type' | 'origin', string> & { occurrences: number })[];
}

/** @param after the source of the last term of the page before. @throws NOT_FOUND */
export async function tellSeries(
  db: Db,
  id: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<SeriesStory> {
  const series = await readRow<ListedSeries>(db)`
    select ${columns}, a.name as account_name from series join accounts a on a.id = series.account_id where series.id = ${id}`;
  if (!series) throw new AppError('NOT_FOUND', 'There is no such series.');
  const tasks = await readRows<SeriesStory['tasks'][number]>(db)`
    select ${taskColumns} from tasks
    where account_id = ${series.accountId} and series_id = ${id} order by created_at desc, id desc limit 20`;
  const terms = await readRows<SeriesStory['terms'][number]>(db)`
    select source, target, type, origin, occurrences from series_terms
    where series_id = ${id} and source > ${after ?? ''} order by source limit ${limit}`;
  return { ...series, tasks, terms };
}
