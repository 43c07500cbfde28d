/** A translation that takes its source from a token_estimate has a quote: the price that the estimate said. */
import type { Db } from '../platform/postgres.ts';
import type { GlossaryReader } from './glossary-reader.ts';
import { type QuotedOrder, quoteVoid } from './price.ts';
import { readQuote } from './quote-store.ts';
import type { QuoteVoid, Task } from './task.ts';
import type { OrderedTask } from './task-series.ts';

export type FoundQuote = { taskId: string; credits: number } | { void: QuoteVoid };

/** Undefined when the order is not one that a quote could be for. */
export async function findQuote(
  { db, glossaries }: { db: Db; glossaries: GlossaryReader },
  order: OrderedTask,
  earlier: Task | undefined,
): Promise<FoundQuote | undefined> {
  if (order.action !== 'translation' || earlier?.action !== 'token_estimate') return undefined;
  const { glossaryJson, ...facts } = await readQuote(db, earlier.id, order.orderedTermsJson);
  const quoted = {
    ...earlier,
    ...facts,
    glossary: await glossaries.canonical(glossaryJson, earlier.accountId),
    completedAt: earlier.status === 'completed' ? earlier.endedAt : undefined,
  };
  const reason = quoteVoid(quoted, orderOf(order), new Date());
  if (reason !== undefined) return { void: reason };
  const { billable_characters: billable } = earlier.result;
  return { taskId: earlier.id, credits: typeof billable === 'number' ? billable : earlier.estimatedCredits };
}

function orderOf(order: OrderedTask): QuotedOrder {
  return {
    ...order,
    sourceLang: order.sourceLang?.tag ?? 'auto',
    targetLang: order.targetLang?.tag,
    glossary: order.glossary.canonical,
  };
}
