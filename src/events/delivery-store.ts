import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import { ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Event, EventType } from './event.ts';
import { type EventRow, eventColumns, toEvent } from './event-store.ts';
import type { Delivery, DeliveryAttempt, DeliveryFault, DeliveryResult, DeliveryStatus } from './webhook.ts';

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
  const { rows } = await sql<{ id: string; failing: boolean }>`
    select id, failing_since is not null as failing from webhooks
    where ${ownedBy(event)} and enabled and ${event.type} = any(event_types) order by id for key share`.execute(trx);
  const ahead = rows.length > 0 ? await countDue(trx, event.accountId) : 0;
  const due = rows.map(({ id, failing }, i) => ({
    deliveryId: newId('dlv'),
    webhookId: id,
    ahead: ahead + i,
    failing,
  }));
  for (const { deliveryId, webhookId } of due) {
    await sql`
      insert into webhook_deliveries (id, webhook_id, account_id, event_place, next_attempt_at)
      values (${deliveryId}, ${webhookId}, ${event.accountId}, ${event.place}, now())`.execute(trx);
  }
  return due;
}

/** Deliveries of the account that wait or are under way; those that are tried again later do not count. */
export async function countDue(trx: Trx, accountId: string): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*) filter (where next_attempt_at <= now())::int as due from (
      select d.next_attempt_at from webhooks w join webhook_deliveries d on d.webhook_id = w.id and d.status = 'pending'
      where w.account_id = ${accountId} limit ${mostCounted}) pending`.execute(trx);
  return rows[0]?.due ?? 0;
}

/** The same event once more to the same webhook, under the same `webhook-id`. @throws NOT_FOUND */
export async function insertRedelivery(trx: Trx, webhookId: string, deliveryId: string): Promise<string> {
  const id = newId('dlv');
  const result = isDeliveryId(deliveryId)
    ? await sql`
        insert into webhook_deliveries (id, webhook_id, account_id, event_place, next_attempt_at)
        select ${id}, webhook_id, account_id, event_place, now() from webhook_deliveries
        where id = ${deliveryId} and webhook_id = ${webhookId}`.execute(trx)
    : undefined;
  if (result?.numAffectedRows !== 1n) throw new AppError('NOT_FOUND', 'There is no such delivery.');
  return id;
}

/** What is to be sent now; undefined when it was delivered, given up or removed meanwhile. */
export async function findPending(
  db: Db,
  deliveryId: string,
): Promise<{ webhookId: string; event: Event } | undefined> {
  const { rows } = await sql<EventRow & { webhook_id: string }>`
    select d.webhook_id, ${eventColumns} from webhook_deliveries d
    join events on events.account_id = d.account_id and events.place = d.event_place
    where d.id = ${deliveryId} and d.status = 'pending'`.execute(db);
  return rows[0] && { webhookId: rows[0].webhook_id, event: toEvent(rows[0]) };
}

/** Returns the number of attempts with this one; undefined when the delivery has ended or is gone. */
export async function insertAttempt(trx: Trx, deliveryId: string, result: DeliveryResult): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    update webhook_deliveries set attempts = attempts + 1 where id = ${deliveryId} and status = 'pending' returning attempts`.execute(
    trx,
  );
  const number = rows[0]?.attempts;
  if (number === undefined) return undefined;
  await sql`
    insert into webhook_attempts (delivery_id, number, duration_ms, status_code, error, answer)
    values (${deliveryId}, ${number}, ${result.durationMs}, ${result.statusCode ?? null}, ${result.error ?? null}, ${result.answer ?? null})`.execute(
    trx,
  );
  return number;
}

export async function endDelivery(
  trx: Trx,
  deliveryId: string,
  status: Exclude<DeliveryStatus, 'pending'>,
): Promise<void> {
  await sql`
    update webhook_deliveries set status = ${status}, next_attempt_at = null where id = ${deliveryId} and status = 'pending'`.execute(
    trx,
  );
}

/** Nothing more goes to a webhook that is disabled. */
export async function endPendingOf(trx: Trx, webhookId: string): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = ${webhookId} and status = 'pending'`.execute(
    trx,
  );
}

export async function postpone(trx: Trx, deliveryId: string, delaySeconds: number): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${delaySeconds}) where id = ${deliveryId}`.execute(
    trx,
  );
}

/** With the seconds until each is due; for a copied database, whose jobs were not copied. */
export async function pendingDeliveries(db: Db): Promise<(DueDelivery & { delaySeconds: number })[]> {
  const { rows } = await sql<{
    id: string;
    webhook_id: string;
    ahead: number;
    failing: boolean;
    delay_seconds: number;
  }>`
    select d.id, d.webhook_id, w.failing_since is not null as failing,
      (row_number() over (partition by w.account_id order by d.created_at, d.id) - 1)::int as ahead,
      greatest(0, extract(epoch from d.next_attempt_at - now()))::float8 as delay_seconds
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.status = 'pending' order by d.created_at, d.id`.execute(db);
  return rows.map((row) => ({
    deliveryId: row.id,
    webhookId: row.webhook_id,
    ahead: row.ahead,
    failing: row.failing,
    delaySeconds: row.delay_seconds,
  }));
}

export interface DeliveryPage {
  limit: number;
  before: string | undefined;
  status: DeliveryStatus | undefined;
}

/** Newest first, with their attempts. */
export async function listDeliveries(db: Db, webhookId: string, page: DeliveryPage): Promise<Delivery[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.id, d.webhook_id, e.id as event_id, e.type as event_type, d.status, d.next_attempt_at, d.created_at,
      (select json_agg(json_build_object('number', number, 'attempted_at', attempted_at, 'duration_ms', duration_ms, 'status_code', status_code,
        'error', error, 'answer', answer) order by number) from webhook_attempts a where a.delivery_id = d.id) as attempts
    from webhook_deliveries d join events e on e.account_id = d.account_id and e.place = d.event_place
    where d.webhook_id = ${webhookId} and (${page.status ?? null}::text is null or d.status = ${page.status ?? null})
      and (${page.before ?? null}::text is null
        or (d.created_at, d.id) < (select b.created_at, b.id from webhook_deliveries b where b.id = ${page.before ?? null}))
    order by d.created_at desc, d.id desc limit ${page.limit}`.execute(db);
  return rows.map(toDelivery);
}

export function isDeliveryId(id: string): boolean {
  return /^dlv_[0-9a-z]{26}$/.test(id);
}

interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: EventType;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
  created_at: Date;
  attempts: AttemptRow[] | null;
}

interface AttemptRow {
  number: number;
  attempted_at: string;
  duration_ms: number;
  status_code: number | null;
  error: DeliveryFault | null;
  answer: string | null;
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: { id: row.event_id, type: row.event_type },
    status: row.status,
    attempts: (row.attempts ?? []).map(toAttempt),
    nextAttemptAt: row.next_attempt_at ?? undefined,
    createdAt: row.created_at,
  };
}

function toAttempt(row: AttemptRow): DeliveryAttempt {
  return {
    number: row.number,
    attemptedAt: new Date(row.attempted_at),
    durationMs: row.duration_ms,
    statusCode: row.status_code ?? undefined,
    error: row.error ?? undefined,
    answer: row.answer ?? undefined,
  };
}
