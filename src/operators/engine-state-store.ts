import { sql } from 'kysely';
import type { GateStatus } from '../engines/routing/engine-gate.ts';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface EngineState {
  process: string;
  engine: string;
  state: string;
  pausedSeconds: number;
  limit: number;
  inFlight: number;
  waiting: number;
  lastFault: string | undefined;
  lastFaultAt: Date | undefined;
  /** What it may spend in a day is used up. */
  overBudget: boolean;
}

/** A process that has said nothing for this long is gone. */
const goneAfterSeconds = 30;

export async function saveEngineStates(
  db: Db,
  process: string,
  states: readonly (GateStatus & { lastFault?: { text: string; at: Date } | undefined })[],
): Promise<void> {
  for (const each of states) {
    await sql`
      insert into engine_states (process, engine, state, paused_seconds, call_limit, in_flight, waiting, calls, faults, last_fault, last_fault_at, over_budget)
      values (${process}, ${each.name}, ${each.state}, ${each.pausedForMs / 1000}, ${Math.floor(each.limit)}, ${each.inFlight}, ${each.waiting},
        ${each.calls}, ${JSON.stringify(each.faults)}, ${each.lastFault?.text ?? null}, ${each.lastFault?.at ?? null}, ${each.isOverBudget})
      on conflict (process, engine) do update set state = excluded.state, paused_seconds = excluded.paused_seconds,
        call_limit = excluded.call_limit, in_flight = excluded.in_flight, waiting = excluded.waiting, calls = excluded.calls,
        faults = excluded.faults, last_fault = excluded.last_fault, last_fault_at = excluded.last_fault_at,
        over_budget = excluded.over_budget, seen_at = now()`.execute(db);
  }
  await sql`delete from engine_states where seen_at < now() - interval '1 hour'`.execute(db);
}

export async function forgetEngineStates(db: Db, process: string): Promise<void> {
  await sql`delete from engine_states where process = ${process}`.execute(db);
}

/** As the worker processes that are alive see them. */
export async function readEngineStates(db: Db): Promise<EngineState[]> {
  return await readRows<EngineState>(db)`
    select process, engine, state, paused_seconds, call_limit as limit, in_flight, waiting, last_fault, last_fault_at, over_budget
    from engine_states where seen_at > now() - make_interval(secs => ${goneAfterSeconds}) order by engine, process`;
}
