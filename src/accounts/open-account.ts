import { newId } from '../platform/ids.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type Account, type BillingPeriod, checkNewAccount } from './account.ts';
import { insertAccount, insertKey } from './account-store.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey, type KeyMode } from './api-key.ts';

export interface NewAccount {
  name: string;
  rateLimitPerMinute: number;
  billingPeriod: BillingPeriod;
}

/** @throws BAD_REQUEST */
export async function openAccount(trx: Trx, account: NewAccount): Promise<Account> {
  checkNewAccount(account);
  return await insertAccount(trx, { id: newId('acc'), ...account });
}

/** The returned key is the only copy; it cannot be read again. */
export async function issueKey(
  db: Db,
  accountId: string,
  mode: KeyMode,
  pepper: Buffer,
): Promise<{ id: string; key: string; prefix: string }> {
  for (;;) {
    const key = generateApiKey(mode);
    const id = newId('key');
    const prefix = apiKeyPrefix(key);
    if (await insertKey(db, { id, accountId, hash: hashApiKey(key, pepper), prefix, mode })) return { id, key, prefix };
  }
}
