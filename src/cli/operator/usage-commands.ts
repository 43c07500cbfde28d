import { reportUsage, usageCsv, usageLineView } from '../../operators/usage-report.ts';
import { wireFields } from '../../wire-fields.ts';
import { type Command, command, flag, option, UsageError } from '../command.ts';
import { columns, printAnswer } from '../output.ts';
import { usageCommand } from '../partner/task-commands.ts';
import { terminal } from '../terminal.ts';
import { accountOption, forOperators, ofAccount, operatorSession } from './operator-session.ts';

const maxLines = 1_000_000;

const days = {
  from: option('DAY', 'first day (UTC), such as 2026-11-01; 30 days ago by default'),
  to: option('DAY', 'last day (UTC); today by default'),
};

const reportCommand = command('usage report', {
  options: {
    ...days,
    ...ofAccount,
    by: option('LIST', 'any of day,account,action,pair'),
    csv: flag('print CSV'),
    cost: flag('what engines cost on each day, for each account'),
  },
  summary: 'Add up ended tasks and engine tokens from one day to another.',
  examples: ['usage report --by account --csv', 'usage report --from 2026-11-01 --to 2026-11-30 --by day,pair'],
  async run(args) {
    await using session = await operatorSession();
    const accountId = await accountOption(session.db, args);
    const { from: first, to: last, by } = args.options;
    const request = { from: first, to: last, by, accountId, costByAccount: true };
    const { from, to, lines, engines, costs } = await reportUsage(session.db, request, maxLines);
    if (args.flags.csv) return void terminal().stdout.write(usageCsv(lines));
    if (args.flags.cost) {
      const views = costs.map((line) =>
        wireFields(line, 'day', 'accountId', 'accountName', 'engine', 'calls', 'cost', 'estimatedCost'),
      );
      const words = [
        `From ${from} to ${to}, in the currency of the prices of each engine`,
        inWords(views) ?? 'No engine with prices was asked in these days.',
      ];
      return printAnswer(args, { from, to, costs: views }, words.join('\n'));
    }
    const views = lines.map(usageLineView);
    const engineViews = engines.map((each) => ({
      ...wireFields(each, 'accountId', 'accountName', 'engine', 'calls', 'failedCalls'),
      ...wireFields(each, 'inputTokens', 'cachedInputTokens', 'outputTokens'),
      // Left out where an engine has no prices.
      cost: each.cost,
      estimated_cost: each.estimatedCost,
    }));
    const tasks = inWords(views) ?? 'No task ended in these days.';
    const asked = engineViews.length === 0 ? [] : ['', inWords(engineViews)];
    printAnswer(
      args,
      { from, to, lines: views, engines: engineViews },
      [`From ${from} to ${to}`, tasks, ...asked].join('\n'),
    );
  },
});

/** A table of all fields that people can read; undefined when there is no row. */
function inWords(rows: readonly Record<string, unknown>[]): string | undefined {
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'account_id');
  if (names.length === 0) return undefined;
  return columns(rows, Object.fromEntries(names.map((name) => [name.replaceAll('_', ' ').toUpperCase(), name])));
}

/** `usage` of partners, and with --cost what engines cost: from the database and not through the API. */
const usageOrCost: Command = {
  ...usageCommand,
  options: {
    ...usageCommand.options,
    cost: flag('for operators: what engines cost on each day, for each account'),
    account: forOperators.account,
    ...days,
  },
  summary:
    'Show the balance, the period and the rate limit of your key; with --cost, for operators, what engines cost.',
  examples: [...usageCommand.examples, 'usage --cost', 'usage --cost --from 2026-11-01 --to 2026-11-30'],
  async run(args) {
    if (args.flags.cost) return await reportCommand.run(args);
    const alone = ['account', ...Object.keys(days)].find((name) => args.options[name] !== undefined);
    if (alone !== undefined) throw new UsageError(`--${alone} goes with --cost.`);
    await usageCommand.run(args);
  },
};

export const usageCommands: Command[] = [usageOrCost, reportCommand];
