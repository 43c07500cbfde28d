/** Accounts of the house: what the service itself does runs through them, so that no partner finds tasks that are not theirs. */
import type { Account } from '../accounts/account.ts';
import { findAccount } from '../accounts/account-store.ts';
import type { Db } from '../platform/postgres.ts';
import { createAccount } from './account-changes.ts';

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
