import { type RawBuilder, sql } from 'kysely';

/**
 * Whose a task, a series, a webhook or an event is: an account's, and of its live keys or of its test keys. The two kinds see
 * nothing of each other; what the other kind owns is as unknown as another partner's.
 */
export interface Owner {
  accountId: string;
  /** Of test keys. */
  sandbox: boolean;
}

/** The condition on a table with both columns. Every query that a partner's request leads to has it. */
export function ownedBy({ accountId, sandbox }: Owner): RawBuilder<boolean> {
  return sql`account_id = ${accountId} and sandbox = ${sandbox}`;
}
