/** The state of the service at a glance. */
import { statfs } from 'node:fs/promises';
import { type DayTotal, totalsByDay } from '../credits/day-totals-store.ts';
import { totalReserved } from '../credits/ledger-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { Lane } from '../platform/queue.ts';
import { type LaneDepth, laneDepths } from '../tasks/task-store.ts';
import { type EngineState, readEngineStates } from './engine-state-store.ts';
import { type CallCosts, type CallCounts, engineUsageToday } from './engine-usage-store.ts';
import { charactersByMinute, databaseBytes, failuresOfLastDay } from './overview-store.ts';

export interface Overview {
  queue: Record<Lane, LaneDepth>;
  reservedCredits: number;
  /** One value per minute, the oldest first; the last is the minute that runs. */
  charactersByMinute: number[];
  failures: { code: string; tasks: number }[];
  engines: EngineState[];
  usedToday: ReadonlyMap<string, CallCounts & CallCosts<string>>;
  days: DayTotal[];
  disk: { freeBytes: number; totalBytes: number } | undefined;
  databaseBytes: number;
}

const shownMinutes = 60;
const shownDays = 14;

export async function readOverview(deps: { db: Db; dataDir: string }): Promise<Overview> {
  const { db, dataDir } = deps;
  // One after the other: the overview must not take more than one of the connections that partners' requests need.
  return {
    queue: await laneDepths(db),
    reservedCredits: await totalReserved(db),
    charactersByMinute: await charactersByMinute(db, shownMinutes),
    failures: await failuresOfLastDay(db),
    engines: await readEngineStates(db),
    usedToday: await engineUsageToday(db),
    days: await totalsByDay(db, { days: shownDays }),
    disk: await diskRoom(dataDir),
    databaseBytes: await databaseBytes(db),
  };
}

async function diskRoom(dataDir: string): Promise<Overview['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
