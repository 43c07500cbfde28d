/** Commands of partners that operators have too: the same words, with the account they are about. */
import { findAccount } from '../../accounts/account-store.ts';
import { pageOfDeliveries } from '../../events/delivery-store.ts';
import { deliveryStatuses, deliveryView, webhookView } from '../../events/webhook.ts';
import { findAnyWebhook, listAllWebhooks } from '../../events/webhook-store.ts';
import { redeliverForAccount } from '../../operators/account-changes.ts';
import { seriesView } from '../../series/series.ts';
import { listAllSeries } from '../../series/series-store.ts';
import { type Command, type CommandArguments, listLimit, oneOf } from '../command.ts';
import { fields, printAnswer, table } from '../output.ts';
import { seriesHeadings, seriesRow } from '../partner/series-commands.ts';
import { deliveryTable, webhookHeadings, webhookRow } from '../partner/webhook-commands.ts';
import { accountOption, forOperators, operatorSession } from './operator-session.ts';

const operatorRuns: Record<string, (args: CommandArguments) => Promise<void>> = {
  'series list': listSeries,
  'webhook list': listWebhooks,
  'webhook deliveries': listDeliveries,
  'webhook redeliver': redeliver,
};

/** With --account (or --all-accounts) a command works on the database and not through the API. */
export function forOperatorsToo(command: Command): Command {
  const run = operatorRuns[command.name];
  if (!run) return command;
  const { account, ...all } = forOperators;
  return {
    ...command,
    options: { ...command.options, account, ...(command.name.endsWith(' list') ? all : {}) },
    run: async (args) => {
      const asOperator = args.options.account !== undefined || args.flags['all-accounts'];
      await (asOperator ? run(args) : command.run(args));
    },
  };
}

async function listSeries(args: CommandArguments): Promise<void> {
  await using session = await operatorSession();
  const listed = await listAllSeries(session.db, await accountOption(session.db, args));
  const series = listed.map(({ series: each, counts, accountName }) => ({
    account_name: accountName,
    ...seriesView(each, counts),
  }));
  const rows = series.map((row) => {
    const { tasks = 0, terms = 0, remembered_paragraphs = 0, remembered_characters = 0 } = row.counts ?? {};
    return [row.account_name, ...seriesRow(row), tasks, terms, remembered_paragraphs, remembered_characters];
  });
  const headings = ['ACCOUNT', ...seriesHeadings, 'TASKS', 'TERMS', 'PARAGRAPHS', 'CHARACTERS'];
  printAnswer(args, { series }, table(headings, rows));
}

async function listWebhooks(args: CommandArguments): Promise<void> {
  await using session = await operatorSession();
  const listed = await listAllWebhooks(session.db, await accountOption(session.db, args));
  const webhooks = listed.map((webhook) => ({ account_name: webhook.accountName, ...webhookView(webhook) }));
  const rows = webhooks.map((row) => [row.account_name, ...webhookRow(row)]);
  printAnswer(args, { webhooks }, table(['ACCOUNT', ...webhookHeadings], rows));
}

async function listDeliveries(args: CommandArguments): Promise<void> {
  const limit = listLimit(args);
  const status = oneOf(args.options.status, 'status', deliveryStatuses);
  await using session = await operatorSession();
  const { id } = await findAccount(session.db, args.options.account ?? '');
  const webhook = await findAnyWebhook(session.db, id, args.positionals[0] ?? '');
  const page = await pageOfDeliveries(session.db, webhook, { limit, cursor: undefined, status });
  const deliveries = page.deliveries.map(deliveryView);
  printAnswer(args, { deliveries, next_cursor: page.nextCursor }, deliveryTable(deliveries));
}

async function redeliver(args: CommandArguments): Promise<void> {
  const [webhookId = '', deliveryId = ''] = args.positionals;
  await using session = await operatorSession();
  const { db, actor } = session;
  const { id: accountId } = await findAccount(db, args.options.account ?? '');
  const queue = await session.openQueue();
  const delivery_id = await redeliverForAccount({ db, queue }, actor, { accountId, webhookId, deliveryId });
  printAnswer(args, { delivery_id }, fields({ Delivery: delivery_id }));
}
