/** What is read of tasks for their prices. */
import { readRow } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Work } from './price.ts';

/** What was done for a task so far. */
export async function readWork(trx: Trx, taskId: string): Promise<Work> {
  const work = await readRow<Work>(trx)`
    select coalesce(sum(characters) filter (where kind = 'segment'), 0)::bigint as segments,
      coalesce(sum(characters) filter (where kind = 'recall'), 0)::bigint as recalled,
      coalesce(sum(paid_characters), 0)::bigint as paid_before,
      coalesce(sum(characters) filter (where kind = 'extraction'), 0)::bigint as extractions
    from checkpoints where task_id = ${taskId}`;
  return work as Work;
}

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
