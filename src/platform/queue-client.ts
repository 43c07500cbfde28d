/** The job engine for a process that sends or fetches jobs over its own connections and leaves supervision to others. */
import { PgBoss } from 'pg-boss';
import type { Log } from './log.ts';
import { OutageLog } from './outage-log.ts';
import type { Pool } from './postgres.ts';

export async function openQueueClient(pool: Pool, log: Log): Promise<PgBoss> {
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) },
    supervise: false,
    schedule: false,
  });
  boss.on('error', (err) => log.warn({ err: OutageLog.ofDatabase(err) }, 'queue'));
  await boss.start();
  return boss;
}
