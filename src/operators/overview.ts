/** The state of the service at a glance. */
import { statfs } from 'node:fs/promises';
import { totalsByDay } from '../credits/day-totals-store.ts';
import { totalReserved } from '../credits/ledger-store.ts';
import type { Db } from '../platform/postgres.ts';
import { laneDepths } from '../tasks/task-store.ts';
import { readEngineStates } from './engine-state-store.ts';
import { engineUsageToday } from './engine-usage-store.ts';
import { charactersByMinute, databaseBytes, failuresOfLastDay } from './overview-store.ts';

export type Overview = Awaited<ReturnType<typeof readOverview>>;

const shownMinutes = 60;
const shownDays = 14;

export async function readOverview({ db, dataDir }: { db: Db; dataDir: string }) {
  // One after the other: the overview must not take more than one of the connections that partners' requests need.
  return {
    queue: await laneDepths(db),
    reservedCredits: await totalReserved(db),
    /** One value per minute, the oldest first; the last is the minute that runs. */
    charactersByMinute: await charactersByMinute(db, shownMinutes),
    failures: await failuresOfLastDay(db),
    engines: await readEngineStates(db),
    usedToday: await engineUsageToday(db),
    days: await totalsByDay(db, { days: shownDays }),
    disk: await diskRoom(dataDir),
    databaseBytes: await databaseBytes(db),
  };
}

async function diskRoom(dataDir: string) {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
