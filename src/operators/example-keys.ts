/** Test keys for the examples of the documentation. */
import { listKeys } from '../accounts/account-store.ts';
import type { Db } from '../platform/postgres.ts';
import { createKey, revokeKey } from './account-changes.ts';
import { openHouseAccount } from './house-account.ts';

const accountName = 'documentation examples';
/** As many operators may have one at once; a further key ends the oldest. */
const keysAtOnce = 10;

export async function createExampleKey(db: Db, actor: string, keyPepper: Buffer): Promise<string> {
  const { id } = await openHouseAccount(db, actor, accountName, keyPepper);
  const inUse = (await listKeys(db, id)).filter(({ mode, revokedAt }) => mode === 'test' && revokedAt === undefined);
  for (const oldest of inUse.slice(0, Math.max(0, inUse.length - keysAtOnce + 1)))
    await revokeKey(db, actor, oldest.id);
  return (await createKey(db, actor, id, 'test', keyPepper)).key;
}
