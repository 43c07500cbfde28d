import { findAccount } from '../../accounts/account-store.ts';
import { listAudit } from '../../operators/audit-store.ts';
import { type Command, limitOption, listLimit, optionalText, wholeNumber } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

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
      const wanted = optionalText(args, 'account');
      const entries = await listAudit(db, {
        limit,
        before: beforeId === undefined ? undefined : wholeNumber(beforeId, '--before'),
        accountId: wanted === undefined ? undefined : (await findAccount(db, wanted)).id,
      });
      const rows = entries.map((entry) => ({
        id: entry.id,
        at: entry.at.toISOString(),
        actor: entry.actor,
        action: entry.action,
        subject: entry.subject,
        account_name: entry.accountName ?? null,
        details: entry.details,
      }));
      if (args.json) return printJson(rows);
      if (rows.length === 0) return printLine('No operator has changed anything yet.');
      printTable(
        ['AT', 'WHO', 'WHAT', 'ON', 'ACCOUNT', 'DETAILS'],
        rows.map((row) => [
          row.at,
          row.actor,
          row.action,
          row.subject,
          row.account_name ?? '',
          JSON.stringify(row.details),
        ]),
      );
    });
  },
};

export const auditCommands: Command[] = [listCommand];
