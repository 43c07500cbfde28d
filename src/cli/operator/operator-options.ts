/** What operators may add to a command of partners: it then works on the database and not through the API. */
import type { Command } from '../command.ts';

export const ofOperators = {
  account: { account: { type: 'string', value: 'ACCOUNT', about: 'for operators: of this account, by id or name' } },
  allAccounts: { 'all-accounts': { type: 'boolean', about: 'for operators: of all accounts' } },
} satisfies Record<string, Command['options']>;
