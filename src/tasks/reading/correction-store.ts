import { sql } from 'kysely';
import type { Correction } from '../../interchange/match-corrections.ts';
import type { Db, Trx } from '../../platform/postgres.ts';

/** Text for a whole book would stop everybody while it is made. */
const correctionsPerStatement = 500;

/** A later correction of the same block replaces the earlier one. */
export async function saveCorrections(trx: Trx, taskId: string, corrections: readonly Correction[]): Promise<void> {
  for (let at = 0; at < corrections.length; at += correctionsPerStatement) {
    const part = corrections.slice(at, at + correctionsPerStatement);
    await sql`
      insert into task_corrections (task_id, block_id, source, target)
      select ${taskId}, block_id, source, target
      from json_to_recordset(${JSON.stringify(
        part.map(({ blockId, source, target }) => ({ block_id: blockId, source, target })),
      )}::json) as c(block_id text, source text, target text)
      on conflict (task_id, block_id) do update set target = excluded.target, created_at = now()`.execute(trx);
  }
}

export async function readCorrectionsOf(db: Db, taskId: string): Promise<Correction[]> {
  const { rows } = await sql<{ block_id: string; source: string; target: string }>`
    select block_id, source, target from task_corrections where task_id = ${taskId}`.execute(db);
  return rows.map((row) => ({ blockId: row.block_id, source: row.source, target: row.target }));
}

/** A later fix of the same term replaces the earlier one. */
export async function saveTermFix(trx: Trx, taskId: string, fix: { source: string; target: string }): Promise<void> {
  await sql`
    insert into task_term_fixes (task_id, source, target) values (${taskId}, ${fix.source}, ${fix.target})
    on conflict (task_id, source) do update set target = excluded.target, created_at = now()`.execute(trx);
}

/** By the source form of the term. */
export async function readTermFixes(db: Db, taskId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ source: string; target: string }>`
    select source, target from task_term_fixes where task_id = ${taskId}`.execute(db);
  return new Map(rows.map((row) => [row.source, row.target]));
}
