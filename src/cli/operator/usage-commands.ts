import { findAccount } from '../../accounts/account-store.ts';
import { reportUsage, usageCsv, usageLineView } from '../../operators/usage-report.ts';
import { type Command, optionalText } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { terminal } from '../terminal.ts';
import { withOperatorSession } from './operator-session.ts';

const maxLines = 1_000_000;

const reportCommand: Command = {
  name: 'usage report',
  positionals: [],
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    account: { type: 'string' },
    by: { type: 'string' },
    csv: { type: 'boolean' },
  },
  summary:
    'Add up ended tasks and engine tokens from one day to another (UTC, 30 days by default). --by takes any of day,account,action,pair.',
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const account = optionalText(args, 'account');
      const request = {
        from: optionalText(args, 'from'),
        to: optionalText(args, 'to'),
        by: optionalText(args, 'by'),
        accountId: account === undefined ? undefined : (await findAccount(db, account)).id,
      };
      const { from, to, lines, engines } = await reportUsage(db, request, maxLines);
      if (args.options.csv === true) return void terminal().stdout.write(usageCsv(lines));
      const views = lines.map(usageLineView);
      const engineViews = engines.map((each) => ({
        account_id: each.accountId,
        account_name: each.accountName,
        engine: each.engine,
        calls: each.calls,
        failed_calls: each.failedCalls,
        input_tokens: each.inputTokens,
        cached_input_tokens: each.cachedInputTokens,
        output_tokens: each.outputTokens,
      }));
      if (args.json) return printJson({ from, to, lines: views, engines: engineViews });
      printLine(`From ${from} to ${to}`);
      print(views, 'No task ended in these days.');
      if (engineViews.length === 0) return;
      printLine();
      print(engineViews, '');
    });
  },
};

function print(rows: readonly Record<string, string | number | undefined>[], empty: string): void {
  const [first] = rows;
  if (first === undefined) {
    printLine(empty);
    return;
  }
  const names = Object.keys(first).filter((name) => name !== 'account_id');
  printTable(
    names.map((name) => name.replaceAll('_', ' ').toUpperCase()),
    rows.map((row) => names.map((name) => row[name] ?? '')),
  );
}

export const usageCommands: Command[] = [reportCommand];
