import { listAudit } from '../../operators/audit-store.ts';
import { wireFields } from '../../wire-fields.ts';
import { commands, limitOption, listLimit, option, wholeNumber } from '../command.ts';
import { printList } from '../output.ts';
import { accountOption, ofAccount, operatorSession } from './operator-session.ts';

export const auditCommands = commands({
  'audit list': {
    options: { ...ofAccount, ...limitOption, before: option('ID', 'only what came before this entry') },
    summary: 'Show what operators changed, newest first: who, what and when.',
    examples: ['audit list --limit 50'],
    async run(args) {
      const limit = listLimit(args);
      await using session = await operatorSession();
      const entries = await listAudit(session.db, {
        limit,
        before: args.options.before === undefined ? undefined : wholeNumber(args.options.before, '--before'),
        accountId: await accountOption(session.db, args),
      });
      const rows = entries.map((entry) =>
        wireFields(entry, 'id', 'at', 'actor', 'action', 'subject', 'accountName', 'details'),
      );
      const shown = {
        AT: 'at',
        WHO: 'actor',
        WHAT: 'action',
        ON: 'subject',
        ACCOUNT: 'account_name',
        DETAILS: 'details',
      } as const;
      printList(args, rows, shown, 'No operator has changed anything yet.');
    },
  },
});
