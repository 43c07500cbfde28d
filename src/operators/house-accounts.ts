/** Accounts of the house: what the service itself does runs through them, so that no partner finds tasks that are not theirs. */
import type { Account } from '../accounts/account.ts';
import { findAccount, listKeys } from '../accounts/account-store.ts';
import type { Db } from '../platform/postgres.ts';
import { createAccount, createKey, revokeKey } from './account-changes.ts';

/** Opened the first time that it is asked for, without credits. */
export async function openHouseAccount(db: Db, actor: string, name: string, keyPepper: Buffer): Promise<Account> {
  const known = await findAccount(db, name).catch(() => undefined);
  if (known !== undefined) return known;
  const about = { name, rateLimitPerMinute: 60, billingPeriod: 'open', credits: 0 } as const;
  // Another process may have been quicker.
  return await createAccount(db, actor, about, keyPepper).then(
    (made) => made.account,
    () => findAccount(db, name),
  );
}

const examplesAccount = 'documentation examples';
/** As many operators may have one at once; a further key ends the oldest. */
const keysAtOnce = 10;

/** A test key for the examples of the documentation. */
export async function createExampleKey(db: Db, actor: string, keyPepper: Buffer): Promise<string> {
  const { id } = await openHouseAccount(db, actor, examplesAccount, keyPepper);
  const inUse = (await listKeys(db, id)).filter(({ mode, revokedAt }) => mode === 'test' && revokedAt === undefined);
  for (const oldest of inUse.slice(0, Math.max(0, inUse.length - keysAtOnce + 1)))
    await revokeKey(db, actor, oldest.id);
  return (await createKey(db, actor, id, 'test', keyPepper)).key;
}
