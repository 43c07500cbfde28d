import { sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

export interface QuoteFacts {
  isUsed: boolean;
  hasSameTerms: boolean;
  /** The supplied glossary, which no view needs. */
  glossaryJson: string | undefined;
}

/** @param orderedTermsJson the terms of the series as they are now; undefined outside of series */
export async function readQuote(db: Db, estimateId: string, orderedTermsJson: string | undefined): Promise<QuoteFacts> {
  const { rows } = await sql<{ used: boolean; same: boolean; glossary: string | null }>`
    select exists (select from tasks other where other.quote_task_id = tasks.id) as used,
      ordered_terms is not distinct from ${orderedTermsJson ?? null}::jsonb as same, glossary::text as glossary
    from tasks where id = ${estimateId}`.execute(db);
  const [row] = rows;
  return { isUsed: row?.used === true, hasSameTerms: row?.same === true, glossaryJson: row?.glossary ?? undefined };
}

/** The constraint that refuses a second task under one quote. */
export const quoteOnce = 'tasks_quote_once';
