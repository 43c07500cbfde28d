import { listAudit } from '../../operators/audit-store.ts';
import { wireFields } from '../../wire-fields.ts';
import { type Command, limitOption, listLimit, optionalText, wholeNumber } from '../command.ts';
import { printList } from '../output.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';

const listCommand: Command = {
  name: 'audit list',
  positionals: [],
  options: {
    account: { type: 'string', value: 'ACCOUNT', about: 'of this account only, by id or name' },
    ...limitOption,
    before: { type: 'string', value: 'ID', about: 'only what came before this entry' },
  },
  summary: 'Show what operators changed, newest first: who, what and when.',
  examples: ['audit list --limit 50'],
  async run(args) {
    const limit = listLimit(args);
    const beforeId = optionalText(args, 'before');
    await withOperatorSession(async ({ db }) => {
      const entries = await listAudit(db, {
        limit,
        before: beforeId === undefined ? undefined : wholeNumber(beforeId, '--before'),
        accountId: await accountOption(db, args),
      });
      const rows = entries.map((entry) =>
        wireFields(entry, 'id', 'at', 'actor', 'action', 'subject', 'accountName', 'details'),
      );
      const columns = {
        AT: 'at',
        WHO: 'actor',
        WHAT: 'action',
        ON: 'subject',
        ACCOUNT: 'account_name',
        DETAILS: 'details',
      };
      printList(args, rows, columns, 'No operator has changed anything yet.');
    });
  },
};

export const auditCommands: Command[] = [listCommand];
