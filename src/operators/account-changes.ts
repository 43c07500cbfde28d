/** What an operator changes about accounts, keys and deliveries. Each change and its entry in the audit log are one transaction. */
import type { Account, BillingPeriod } from '../accounts/account.ts';
import {
  type AccountChanges,
  revokeKey as revokeStoredKey,
  setSuspension,
  updateAccount,
} from '../accounts/account-store.ts';
import type { KeyMode } from '../accounts/api-key.ts';
import { issueKey, openAccount } from '../accounts/open-account.ts';
import { type Balance, checkTopUp } from '../credits/credits.ts';
import { addCredits, openBalance, readBalance } from '../credits/ledger-store.ts';
import { type Refund, refund } from '../credits/refund.ts';
import { redeliver, type WebhookDependencies } from '../events/manage-webhooks.ts';
import { findAnyWebhook } from '../events/webhook-store.ts';
import type { Db } from '../platform/postgres.ts';
import { recordAudit } from './audit-store.ts';

export interface FundedAccount {
  name: string;
  rateLimitPerMinute: number;
  billingPeriod: BillingPeriod;
  credits: number;
}

/** Account, balance, first credits and first key. @throws BAD_REQUEST */
export async function createAccount(
  db: Db,
  actor: string,
  { credits, ...newAccount }: FundedAccount,
  keyPepper: Buffer,
): Promise<{ account: Account; key: string }> {
  if (credits > 0) checkTopUp(credits);
  return await db.transaction().execute(async (trx) => {
    const account = await openAccount(trx, newAccount);
    await openBalance(trx, account.id);
    if (credits > 0) await addCredits(trx, account.id, credits);
    const { key, prefix } = await issueKey(trx, account.id, 'live', keyPepper);
    const details = { name: account.name, credits, key: prefix };
    await recordAudit(trx, { actor, action: 'account.create', subject: account.id, accountId: account.id, details });
    return { account, key };
  });
}

/** With a reference, repeating the call changes nothing (`applied: false`). @throws BAD_REQUEST */
export async function topUpAccount(
  db: Db,
  actor: string,
  accountId: string,
  credits: number,
  reference?: string,
): Promise<{ applied: boolean; balance: Balance }> {
  checkTopUp(credits, reference);
  return await db.transaction().execute(async (trx) => {
    const { applied } = await addCredits(trx, accountId, credits, reference);
    const details = { credits, reference: reference ?? null };
    if (applied) await recordAudit(trx, { actor, action: 'account.top_up', subject: accountId, accountId, details });
    return { applied, balance: await readBalance(trx, accountId) };
  });
}

/** @throws BAD_REQUEST */
export async function refundAccount(
  db: Db,
  actor: string,
  order: Refund,
): Promise<{ applied: boolean; balance: Balance }> {
  return await db.transaction().execute(async (trx) => {
    const outcome = await refund(trx, order);
    const { accountId, credits, reference, reason, taskId } = order;
    const details = { credits, reference, reason, task: taskId ?? null };
    if (outcome.applied)
      await recordAudit(trx, { actor, action: 'account.refund', subject: taskId ?? accountId, accountId, details });
    return outcome;
  });
}

/** @throws BAD_REQUEST */
export async function changeAccount(
  db: Db,
  actor: string,
  accountId: string,
  changes: AccountChanges,
): Promise<Account> {
  return await db.transaction().execute(async (trx) => {
    const account = await updateAccount(trx, accountId, changes);
    const details = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await recordAudit(trx, { actor, action: 'account.update', subject: accountId, accountId, details });
    return account;
  });
}

export async function suspendAccount(db: Db, actor: string, accountId: string, reason: string): Promise<Account> {
  return await changeSuspension(db, { actor, action: 'account.suspend', accountId }, { reason });
}

export async function resumeAccount(db: Db, actor: string, accountId: string): Promise<Account> {
  return await changeSuspension(db, { actor, action: 'account.resume', accountId }, undefined);
}

async function changeSuspension(
  db: Db,
  entry: Record<'actor' | 'action' | 'accountId', string>,
  suspension: { reason: string } | undefined,
): Promise<Account> {
  return await db.transaction().execute(async (trx) => {
    const account = await setSuspension(trx, entry.accountId, suspension);
    await recordAudit(trx, { ...entry, subject: entry.accountId, details: { ...suspension } });
    return account;
  });
}

/** The returned key is the only copy there will ever be. */
export async function createKey(
  db: Db,
  actor: string,
  accountId: string,
  mode: KeyMode,
  pepper: Buffer,
): Promise<{ id: string; key: string; prefix: string }> {
  return await db.transaction().execute(async (trx) => {
    const issued = await issueKey(trx, accountId, mode, pepper);
    const details = { prefix: issued.prefix, mode };
    await recordAudit(trx, { actor, action: 'key.create', subject: issued.id, accountId, details });
    return issued;
  });
}

/** By prefix or id. @throws NOT_FOUND */
export async function revokeKey(db: Db, actor: string, prefixOrId: string) {
  return await db.transaction().execute(async (trx) => {
    const key = await revokeStoredKey(trx, prefixOrId);
    const details = { prefix: key.prefix };
    await recordAudit(trx, { actor, action: 'key.revoke', subject: key.id, accountId: key.accountId, details });
    return key;
  });
}

/** Sends an event to a partner's webhook once more. @throws NOT_FOUND, BAD_REQUEST when the webhook is disabled */
export async function redeliverForAccount(
  { db, queue }: Pick<WebhookDependencies, 'db' | 'queue'>,
  actor: string,
  order: { accountId: string; webhookId: string; deliveryId: string },
): Promise<string> {
  const { accountId, webhookId, deliveryId } = order;
  return await db.transaction().execute(async (trx) => {
    const id = await redeliver(trx, queue, await findAnyWebhook(trx, accountId, webhookId), deliveryId);
    const details = { delivery: deliveryId };
    await recordAudit(trx, { actor, action: 'webhook.redeliver', subject: webhookId, accountId, details });
    return id;
  });
}
