import { sql } from 'kysely';
import type { Columns } from '../platform/database-types.ts';
import type { Db } from '../platform/postgres.ts';
import type { Evaluation } from './evaluation.ts';

/** More are nobody's memory. Each has some hundred kilobytes of text. */
const kept = 50;

export interface StoredEvaluation {
  id: number;
  at: Date;
  evaluation: Evaluation;
}

/** @returns its number; the oldest ones go. */
export async function keepEvaluation(db: Db, evaluation: Evaluation): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql<Columns<'evaluations', 'id'>>`
      insert into evaluations (result) values (${JSON.stringify(evaluation)}) returning id`.execute(trx);
    await sql`
      delete from evaluations where id not in (select id from evaluations order by id desc limit ${kept})`.execute(trx);
    return Number(rows[0]?.id);
  });
}

export type ListedEvaluation = Omit<StoredEvaluation, 'evaluation'> & {
  evaluation: Pick<Evaluation, 'book' | 'engines' | 'judge'>;
};

/** Newest first, without the passages. */
export async function listEvaluations(db: Db): Promise<ListedEvaluation[]> {
  const { rows } = await sql<
    Columns<'evaluations', 'id' | 'created_at'> & Pick<Evaluation, 'book' | 'engines' | 'judge'>
  >`
    select id, created_at, result -> 'book' as book, result -> 'engines' as engines, result -> 'judge' as judge
    from evaluations order by id desc limit ${kept}`.execute(db);
  return rows.map(({ id, created_at, book, engines, judge }) => ({
    id: Number(id),
    at: created_at,
    evaluation: { book, engines, judge },
  }));
}

export async function readEvaluation(db: Db, id: number): Promise<StoredEvaluation | undefined> {
  const { rows } = await sql<Columns<'evaluations', 'id' | 'created_at'> & { result: Evaluation }>`
    select id, created_at, result from evaluations where id = ${id}`.execute(db);
  const [row] = rows;
  return row && { id: Number(row.id), at: row.created_at, evaluation: row.result };
}

/** False where there is none. */
export async function removeEvaluation(db: Db, id: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from evaluations where id = ${id}`.execute(db);
  return numAffectedRows > 0n;
}
