import { reportUsage, usageCsv, usageLineView } from '../../operators/usage-report.ts';
import { wireFields } from '../../wire-fields.ts';
import { type Command, optionalText, UsageError } from '../command.ts';
import { printColumns, printJson, printLine } from '../output.ts';
import { usageCommand } from '../partner/task-commands.ts';
import { terminal } from '../terminal.ts';
import { ofOperators } from './operator-options.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';

const maxLines = 1_000_000;

const days = {
  from: { type: 'string', value: 'DAY', about: 'first day (UTC), such as 2026-11-01; 30 days ago by default' },
  to: { type: 'string', value: 'DAY', about: 'last day (UTC); today by default' },
} satisfies Command['options'];

const reportCommand: Command = {
  name: 'usage report',
  positionals: [],
  options: {
    ...days,
    account: { type: 'string', value: 'ACCOUNT', about: 'of this account only, by id or name' },
    by: { type: 'string', value: 'LIST', about: 'any of day,account,action,pair' },
    csv: { type: 'boolean', about: 'print CSV' },
    cost: { type: 'boolean', about: 'what engines cost on each day, for each account' },
  },
  summary: 'Add up ended tasks and engine tokens from one day to another.',
  examples: ['usage report --by account --csv', 'usage report --from 2026-11-01 --to 2026-11-30 --by day,pair'],
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const request = {
        from: optionalText(args, 'from'),
        to: optionalText(args, 'to'),
        by: optionalText(args, 'by'),
        accountId: await accountOption(db, args),
        costByAccount: true,
      };
      const { from, to, lines, engines, costs } = await reportUsage(db, request, maxLines);
      if (args.options.csv === true) return void terminal().stdout.write(usageCsv(lines));
      const costViews = costs.map((line) =>
        wireFields(line, 'day', 'accountId', 'accountName', 'engine', 'calls', 'cost', 'estimatedCost'),
      );
      if (args.options.cost === true) {
        if (args.json) return printJson({ from, to, costs: costViews });
        printLine(`From ${from} to ${to}, in the currency of the prices of each engine`);
        return print(costViews, 'No engine with prices was asked in these days.');
      }
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
        cost: each.cost,
        estimated_cost: each.estimatedCost,
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

function print(rows: readonly Record<string, unknown>[], empty: string): void {
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'account_id');
  if (names.length === 0) printLine(empty);
  else printColumns(rows, Object.fromEntries(names.map((name) => [name.replaceAll('_', ' ').toUpperCase(), name])));
}

/** `usage` of partners, and with --cost what engines cost: from the database and not through the API. */
const usageOrCost: Command = {
  ...usageCommand,
  options: {
    ...usageCommand.options,
    cost: { type: 'boolean', about: 'for operators: what engines cost on each day, for each account' },
    ...ofOperators.account,
    ...days,
  },
  summary:
    'Show the balance, the period and the rate limit of your key; with --cost, for operators, what engines cost.',
  examples: [...usageCommand.examples, 'usage --cost', 'usage --cost --from 2026-11-01 --to 2026-11-30'],
  async run(args) {
    if (args.options.cost === true) return await reportCommand.run(args);
    const alone = ['account', ...Object.keys(days)].find((name) => args.options[name] !== undefined);
    if (alone !== undefined) throw new UsageError(`--${alone} goes with --cost.`);
    await usageCommand.run(args);
  },
};

export const usageCommands: Command[] = [usageOrCost, reportCommand];
