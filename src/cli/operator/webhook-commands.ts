/** The commands about webhooks that operators have too: the same words, with the account they are about. */
import { findAccount } from '../../accounts/account-store.ts';
import { pageOfDeliveries } from '../../events/manage-webhooks.ts';
import { deliveryStatuses } from '../../events/webhook.ts';
import { findAnyWebhook, listAllWebhooks } from '../../events/webhook-store.ts';
import { deliveryView, webhookView } from '../../events/webhook-view.ts';
import { redeliverForAccount } from '../../operators/webhook-changes.ts';
import { type Command, type CommandArguments, listLimit, oneOf, optionalText } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { deliveryHeadings, deliveryRow, webhookRow } from '../partner/webhook-commands.ts';
import { ofOperators } from './operator-options.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';

const operatorRuns: Record<string, (args: CommandArguments) => Promise<void>> = {
  'webhook list': list,
  'webhook deliveries': deliveries,
  'webhook redeliver': redeliver,
};

/** With --account (or --all-accounts) a command works on the database and not through the API. */
export function forOperatorsToo(command: Command): Command {
  const run = operatorRuns[command.name];
  if (!run) return command;
  const all = command.name === 'webhook list' ? ofOperators.allAccounts : {};
  return {
    ...command,
    options: { ...command.options, ...ofOperators.account, ...all },
    run: async (args) => {
      const asOperator = args.options.account !== undefined || args.options['all-accounts'] === true;
      await (asOperator ? run(args) : command.run(args));
    },
  };
}

async function list(args: CommandArguments): Promise<void> {
  await withOperatorSession(async ({ db }) => {
    const rows = (await listAllWebhooks(db, await accountOption(db, args))).map((webhook) => ({
      account_name: webhook.accountName,
      ...webhookView(webhook),
    }));
    if (args.json) return printJson({ webhooks: rows });
    printTable(
      ['ACCOUNT', 'WEBHOOK', 'STATE', 'EVENTS', 'URL'],
      rows.map((row) => [row.account_name, ...webhookRow(row)]),
    );
  });
}

async function deliveries(args: CommandArguments): Promise<void> {
  const limit = listLimit(args);
  const status = oneOf(optionalText(args, 'status'), 'status', deliveryStatuses);
  await withOperatorSession(async ({ db }) => {
    const { id } = await findAccount(db, optionalText(args, 'account') ?? '');
    const webhook = await findAnyWebhook(db, id, args.positionals[0] as string);
    const page = await pageOfDeliveries(db, webhook, { limit, cursor: undefined, status });
    const views = page.deliveries.map(deliveryView);
    if (args.json) return printJson({ deliveries: views, next_cursor: page.nextCursor });
    printTable(deliveryHeadings, views.map(deliveryRow));
  });
}

async function redeliver(args: CommandArguments): Promise<void> {
  const [webhookId, deliveryId] = args.positionals as [string, string];
  await withOperatorSession(async ({ db, openQueue, actor }) => {
    const { id } = await findAccount(db, optionalText(args, 'account') ?? '');
    const queue = await openQueue();
    try {
      const delivery_id = await redeliverForAccount({ db, queue }, actor, { accountId: id, webhookId, deliveryId });
      if (args.json) return printJson({ delivery_id });
      printLine(`Delivery     ${delivery_id}`);
    } finally {
      await queue.stop();
    }
  });
}
