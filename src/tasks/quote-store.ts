import { readRow } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface QuoteFacts {
  isUsed: boolean;
  hasSameTerms: boolean;
  /** The supplied glossary, which no view needs. */
  glossaryJson: string | undefined;
}

/** @param orderedTermsJson the terms of the series as they are now; undefined outside of series */
export async function readQuote(db: Db, estimateId: string, orderedTermsJson: string | undefined): Promise<QuoteFacts> {
  const quote = await readRow<QuoteFacts>(db)`
    select exists (select from tasks other where other.quote_task_id = tasks.id) as is_used,
      ordered_terms is not distinct from ${orderedTermsJson ?? null}::jsonb as has_same_terms, glossary::text as glossary_json
    from tasks where id = ${estimateId}`;
  return quote ?? { isUsed: false, hasSameTerms: false, glossaryJson: undefined };
}

/** The constraint that refuses a second task under one quote. */
export const quoteOnce = 'tasks_quote_once';
