/** `series list` for operators: the same words, for all accounts or for one. */
import { seriesView } from '../../series/series.ts';
import { listAllSeries } from '../../series/series-store.ts';
import type { Command, CommandArguments } from '../command.ts';
import { printJson, printTable } from '../output.ts';
import { seriesRow } from '../partner/series-commands.ts';
import { ofOperators } from './operator-options.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';

/** With --account or --all-accounts the command works on the database and not through the API. */
export function seriesForOperatorsToo(command: Command): Command {
  if (command.name !== 'series list') return command;
  return {
    ...command,
    options: { ...command.options, ...ofOperators.account, ...ofOperators.allAccounts },
    run: async (args) => {
      const asOperator = args.options.account !== undefined || args.options['all-accounts'] === true;
      await (asOperator ? list(args) : command.run(args));
    },
  };
}

async function list(args: CommandArguments): Promise<void> {
  await withOperatorSession(async ({ db }) => {
    const rows = (await listAllSeries(db, await accountOption(db, args))).map(({ series, counts, accountName }) => ({
      account_name: accountName,
      ...seriesView(series, counts),
    }));
    if (args.json) return printJson({ series: rows });
    printTable(
      ['ACCOUNT', 'SERIES', 'LANGUAGES', 'CREATED', 'TITLE', 'TASKS', 'TERMS', 'PARAGRAPHS', 'CHARACTERS'],
      rows.map((row) => [
        row.account_name,
        ...seriesRow(row),
        row.counts?.tasks ?? 0,
        row.counts?.terms ?? 0,
        row.counts?.remembered_paragraphs ?? 0,
        row.counts?.remembered_characters ?? 0,
      ]),
    );
  });
}
