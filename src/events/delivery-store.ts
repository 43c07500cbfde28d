import { AppError } from '../errors.ts';
import { change, readCount, readRow, readRows, readValue } from '../platform/from-row.ts';
import { newId } from '../platform/ids.ts';
import { badCursor, pageOf } from '../platform/list-page-store.ts';
import { ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Event } from './event.ts';
import { eventColumns } from './event-store.ts';
import type { Delivery, DeliveryAttempt, DeliveryResult, DeliveryStatus, Webhook } from './webhook.ts';

export interface DueDelivery {
  deliveryId: string;
  webhookId: string;
  /** The account's deliveries that are due already. */
  ahead: number;
  /** The endpoint has failed last. */
  failing: boolean;
}

/** An account with more of them waits behind everybody anyway. */
const mostCounted = 1_000;

/** One for every enabled webhook of the event's owner that wants this type. Locked, so that none is deleted before the commit. */
export async function insertDeliveries(trx: Trx, event: Event): Promise<DueDelivery[]> {
  const webhooks = await readRows<Pick<DueDelivery, 'webhookId' | 'failing'>>(trx)`
    select id as webhook_id, failing_since is not null as failing from webhooks
    where ${ownedBy(event)} and enabled and ${event.type} = any(event_types) order by id for key share`;
  const ahead = webhooks.length > 0 ? await countDue(trx, event.accountId) : 0;
  const due = webhooks.map((webhook, i) => ({ ...webhook, deliveryId: newId('dlv'), ahead: ahead + i }));
  for (const { deliveryId, webhookId } of due) {
    await change(trx)`
      insert into webhook_deliveries (id, webhook_id, account_id, event_place, next_attempt_at)
      values (${deliveryId}, ${webhookId}, ${event.accountId}, ${event.place}, now())`;
  }
  return due;
}

/** Deliveries of the account that wait or are under way; those that are tried again later do not count. */
export async function countDue(trx: Trx, accountId: string): Promise<number> {
  return await readCount(trx)`
    select count(*) filter (where next_attempt_at <= now())::int as due from (
      select d.next_attempt_at from webhooks w join webhook_deliveries d on d.webhook_id = w.id and d.status = 'pending'
      where w.account_id = ${accountId} limit ${mostCounted}) pending`;
}

/** The same event once more to the same webhook, under the same `webhook-id`. @throws NOT_FOUND */
export async function insertRedelivery(trx: Trx, webhookId: string, deliveryId: string): Promise<string> {
  const id = newId('dlv');
  const inserted = isDeliveryId(deliveryId)
    ? await change(trx)`
        insert into webhook_deliveries (id, webhook_id, account_id, event_place, next_attempt_at)
        select ${id}, webhook_id, account_id, event_place, now() from webhook_deliveries
        where id = ${deliveryId} and webhook_id = ${webhookId}`
    : 0;
  if (inserted !== 1) throw new AppError('NOT_FOUND', 'There is no such delivery.');
  return id;
}

/** What is to be sent now; undefined when it was delivered, given up or removed meanwhile. */
export async function findPending(
  db: Db,
  deliveryId: string,
): Promise<{ webhookId: string; event: Event } | undefined> {
  const row = await readRow<Event & { webhookId: string }>(db)`
    select d.webhook_id, ${eventColumns} from webhook_deliveries d
    join events on events.account_id = d.account_id and events.place = d.event_place
    where d.id = ${deliveryId} and d.status = 'pending'`;
  if (!row) return undefined;
  const { webhookId, ...event } = row;
  return { webhookId, event };
}

/** Returns the number of attempts with this one; undefined when the delivery has ended or is gone. */
export async function insertAttempt(trx: Trx, deliveryId: string, result: DeliveryResult): Promise<number | undefined> {
  const number = await readValue<number>(trx)`
    update webhook_deliveries set attempts = attempts + 1 where id = ${deliveryId} and status = 'pending' returning attempts`;
  if (number === undefined) return undefined;
  await change(trx)`
    insert into webhook_attempts (delivery_id, number, duration_ms, status_code, error, answer)
    values (${deliveryId}, ${number}, ${result.durationMs}, ${result.statusCode ?? null}, ${result.error ?? null}, ${result.answer ?? null})`;
  return number;
}

export async function endDelivery(
  trx: Trx,
  deliveryId: string,
  status: Exclude<DeliveryStatus, 'pending'>,
): Promise<void> {
  await change(trx)`
    update webhook_deliveries set status = ${status}, next_attempt_at = null where id = ${deliveryId} and status = 'pending'`;
}

/** Nothing more goes to a webhook that is disabled. */
export async function endPendingOf(trx: Trx, webhookId: string): Promise<void> {
  await change(trx)`
    update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = ${webhookId} and status = 'pending'`;
}

export async function postpone(trx: Trx, deliveryId: string, delaySeconds: number): Promise<void> {
  await change(trx)`
    update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${delaySeconds}) where id = ${deliveryId}`;
}

/** With the seconds until each is due; for a copied database, whose jobs were not copied. */
export async function pendingDeliveries(db: Db): Promise<(DueDelivery & { delaySeconds: number })[]> {
  return await readRows<DueDelivery & { delaySeconds: number }>(db)`
    select d.id as delivery_id, d.webhook_id, w.failing_since is not null as failing,
      (row_number() over (partition by w.account_id order by d.created_at, d.id) - 1)::int as ahead,
      greatest(0, extract(epoch from d.next_attempt_at - now()))::float8 as delay_seconds
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.status = 'pending' order by d.created_at, d.id`;
}

/** Newest first, with their attempts. @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfDeliveries(
  db: Db,
  { id: webhookId }: Pick<Webhook, 'id'>,
  page: { limit: number; cursor: string | undefined; status: DeliveryStatus | undefined },
): Promise<{ deliveries: Delivery[]; nextCursor: string | null }> {
  if (page.cursor !== undefined && !isDeliveryId(page.cursor)) throw badCursor();
  const before = page.cursor ?? null;
  const rows = await readRows<DeliveryRow>(db)`
    select d.id, d.webhook_id, json_build_object('id', e.id, 'type', e.type) as event, d.status, d.next_attempt_at, d.created_at,
      (select json_agg(json_strip_nulls(json_build_object('number', number, 'attemptedAt', attempted_at, 'durationMs', duration_ms,
        'statusCode', status_code, 'error', error, 'answer', answer)) order by number) from webhook_attempts a where a.delivery_id = d.id) as attempts
    from webhook_deliveries d join events e on e.account_id = d.account_id and e.place = d.event_place
    where d.webhook_id = ${webhookId} and (${page.status ?? null}::text is null or d.status = ${page.status ?? null})
      and (${before}::text is null
        or (d.created_at, d.id) < (select b.created_at, b.id from webhook_deliveries b where b.id = ${before}))
    order by d.created_at desc, d.id desc limit ${page.limit + 1}`;
  const { shown, nextCursor } = pageOf(rows, page.limit, ({ id }) => id);
  const deliveries = shown.map(({ attempts = [], ...delivery }) => ({
    ...delivery,
    attempts: attempts.map((attempt) => ({ ...attempt, attemptedAt: new Date(attempt.attemptedAt) })),
  }));
  return { deliveries, nextCursor };
}

function isDeliveryId(id: string): boolean {
  return /^dlv_[0-9a-z]{26}$/.test(id);
}

type DeliveryRow = Omit<Delivery, 'attempts'> & {
  attempts?: (Omit<DeliveryAttempt, 'attemptedAt'> & { attemptedAt: string })[];
};
