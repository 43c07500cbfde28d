import { sql } from 'kysely';
import { readCount, readRow, readRows } from '../platform/from-row.ts';
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
    const id = await readCount(trx)`
      insert into evaluations (result) values (${JSON.stringify(evaluation)}) returning id`;
    await sql`
      delete from evaluations where id not in (select id from evaluations order by id desc limit ${kept})`.execute(trx);
    return id;
  });
}

export type ListedEvaluation = Omit<StoredEvaluation, 'evaluation'> & {
  evaluation: Pick<Evaluation, 'book' | 'engines' | 'judge'>;
};

/** Newest first, without the passages. */
export async function listEvaluations(db: Db): Promise<ListedEvaluation[]> {
  return await readRows<ListedEvaluation>(db)`
    select id, created_at as at,
      json_build_object('book', result -> 'book', 'engines', result -> 'engines', 'judge', result -> 'judge') as evaluation
    from evaluations order by id desc limit ${kept}`;
}

export async function readEvaluation(db: Db, id: number): Promise<StoredEvaluation | undefined> {
  return await readRow<StoredEvaluation>(db)`
    select id, created_at as at, result as evaluation from evaluations where id = ${id}`;
}

/** False where there is none. */
export async function removeEvaluation(db: Db, id: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from evaluations where id = ${id}`.execute(db);
  return numAffectedRows > 0n;
}
