import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import { change, type Read, readRow, readRows } from '../platform/from-row.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type DisabledReason, rotationOverlapHours, type Webhook } from './webhook.ts';

type NewWebhook = Pick<Webhook, keyof Owner | 'id' | 'url' | 'description' | 'eventTypes'> & {
  encryptedSecret: Buffer;
};

/** Undefined when the owner has as many as it may have. The account is locked, so that two cannot take the last place. */
export async function insertWebhook(trx: Trx, webhook: NewWebhook, most: number): Promise<Webhook | undefined> {
  await change(trx)`select from accounts where id = ${webhook.accountId} for no key update`;
  return await readRow<Webhook>(trx)`
    insert into webhooks (id, account_id, sandbox, url, description, event_types, secret)
    select ${webhook.id}, ${webhook.accountId}, ${webhook.sandbox}, ${webhook.url}, ${webhook.description},
      ${webhook.eventTypes}::text[], ${webhook.encryptedSecret}
    where (select count(*) from webhooks where ${ownedBy(webhook)}) < ${most}
    returning ${webhookColumns}`;
}

export async function listWebhooks(db: Db, owner: Owner): Promise<Webhook[]> {
  return await readRows<Webhook>(
    db,
  )`select ${webhookColumns} from webhooks where ${ownedBy(owner)} order by created_at, id`;
}

/** For operators: of all accounts. */
export async function listAllWebhooks(
  db: Db,
  accountId: string | undefined,
): Promise<(Webhook & { accountName: string })[]> {
  return await readRows<Webhook & { accountName: string }>(db)`
    select ${webhookColumns}, a.name as account_name from webhooks join accounts a on a.id = webhooks.account_id
    where ${accountId ?? null}::text is null or webhooks.account_id = ${accountId ?? null}
    order by a.name, webhooks.created_at, webhooks.id`;
}

/** @throws NOT_FOUND, for another owner's too */
export async function findWebhook(db: Db, owner: Owner, id: string): Promise<Webhook> {
  return await readWebhook(db, id)`select ${webhookColumns} from webhooks where id = ${id} and ${ownedBy(owner)}`;
}

type Change = 'url' | 'description' | 'eventTypes' | 'enabled';
export type WebhookChanges = { [Field in Change]: Webhook[Field] | undefined };

/** Enabling forgets the failures before. @throws NOT_FOUND */
export async function updateWebhook(db: Db, owner: Owner, id: string, changes: WebhookChanges): Promise<Webhook> {
  const { enabled } = changes;
  return await readWebhook(db, id)`
    update webhooks set url = coalesce(${changes.url ?? null}, url), description = coalesce(${changes.description ?? null}, description),
      event_types = coalesce(${changes.eventTypes ?? null}::text[], event_types), enabled = coalesce(${enabled ?? null}, enabled),
      disabled_reason = case when ${enabled ?? null}::boolean is null then disabled_reason end,
      failing_since = case when ${enabled ?? null}::boolean is true then null else failing_since end
    where id = ${id} and ${ownedBy(owner)} returning ${webhookColumns}`;
}

/** Takes its deliveries with it. @throws NOT_FOUND */
export async function deleteWebhook(db: Db, owner: Owner, id: string): Promise<void> {
  await readWebhook(db, id)`delete from webhooks where id = ${id} and ${ownedBy(owner)} returning ${webhookColumns}`;
}

/** The secret of before goes on signing for a while. @throws NOT_FOUND */
export async function replaceSecret(db: Db, owner: Owner, id: string, encryptedSecret: Buffer): Promise<Webhook> {
  return await readWebhook(db, id)`
    update webhooks set secret = ${encryptedSecret}, previous_secret = secret,
      previous_secret_until = now() + make_interval(hours => ${rotationOverlapHours})
    where id = ${id} and ${ownedBy(owner)} returning ${webhookColumns}`;
}

/** What signs now, encrypted, the newest first. */
export async function readSecrets(db: Db, id: string): Promise<Buffer[]> {
  const rows = await readRows<{ secret: Buffer; previous: Buffer | undefined }>(db)`
    select secret, case when previous_secret_until > now() then previous_secret end as previous
    from webhooks where id = ${id}`;
  return rows.flatMap(({ secret, previous }) => (previous === undefined ? [secret] : [secret, previous]));
}

/** Of any account: for operators, and for what is due. @throws NOT_FOUND */
export async function findAnyWebhook(db: Db, accountId: string, id: string): Promise<Webhook> {
  return await readWebhook(
    db,
    id,
  )`select ${webhookColumns} from webhooks where id = ${id} and account_id = ${accountId}`;
}

/** Locks the row, but not against those who write deliveries for it; undefined when the webhook is gone. */
export async function lockWebhook(trx: Trx, id: string): Promise<Webhook | undefined> {
  return await readRow<Webhook>(trx)`select ${webhookColumns} from webhooks where id = ${id} for no key update`;
}

/** A success ends a row of failures, a failure begins one. Writes only on a change: successes are many. */
export async function noteHealth(trx: Trx, id: string, healthy: boolean): Promise<void> {
  await (healthy
    ? sql`update webhooks set failing_since = null where id = ${id} and failing_since is not null`
    : sql`update webhooks set failing_since = now() where id = ${id} and failing_since is null`
  ).execute(trx);
}

/** False when it was disabled before. */
export async function disableWebhook(trx: Trx, id: string, reason: DisabledReason): Promise<boolean> {
  const changed = await change(trx)`
    update webhooks set enabled = false, disabled_reason = ${reason} where id = ${id} and enabled`;
  return changed === 1;
}

/** Secrets that no longer sign are not kept. */
export async function forgetOldSecrets(db: Db): Promise<void> {
  await change(
    db,
  )`update webhooks set previous_secret = null, previous_secret_until = null where previous_secret_until < now()`;
}

export function webhookNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such webhook.');
}

/** Anything may stand in a path, also what the database would refuse with an error of its own. */
function isWebhookId(id: string): boolean {
  return /^whk_[0-9a-z]{26}$/.test(id);
}

const webhookColumns = sql`webhooks.id, webhooks.account_id, sandbox, url, description, event_types, enabled, disabled_reason, failing_since,
  previous_secret_until, webhooks.created_at`;

/** @throws NOT_FOUND */
function readWebhook(db: Db, id: string): Read<Webhook> {
  if (!isWebhookId(id)) throw webhookNotFound();
  return async (...statement) => {
    const webhook = await readRow<Webhook>(db)(...statement);
    if (!webhook) throw webhookNotFound();
    return webhook;
  };
}
