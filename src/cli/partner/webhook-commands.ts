/** Webhooks from the partner's side, and a listener that brings events to a program under development. */
import {
  type DeliveryPage,
  type Event,
  type EventType,
  signWebhook,
  type Toledo,
  type Webhook,
} from '../../../client/src/index.ts';
import { type CommandArguments, limitOption, oneOf, option, UsageError } from '../command.ts';
import { fields, printAnswer, printLine, table } from '../output.ts';
import { endInFailure, terminal } from '../terminal.ts';
import { optionalCount, partnerCommands } from './partner-command.ts';

const eventTypes = [
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.delivered',
  'task.chapter_ready',
  'balance.low',
  'webhook.disabled',
] as const satisfies readonly EventType[];

const someEvents = option('LIST', 'only these events, such as task.completed,task.failed');
const description = option('TEXT', 'a note of your own');

export const partnerWebhookCommands = partnerCommands({
  'webhook create URL': {
    options: { events: option('LIST', 'only these events; by default the ends of tasks'), description },
    summary: 'Have events sent to a URL.',
    examples: ['webhook create https://books.example/hooks --events task.completed,task.failed'],
    async run(args, toledo) {
      const webhook = await toledo.createWebhook({
        url: args.positionals[0] ?? '',
        events: typesOf(args) ?? ['task.completed', 'task.failed', 'task.cancelled', 'task.delivered'],
        description: args.options.description,
      });
      printAnswer(args, webhook, fields({ Webhook: webhook.webhook_id, Secret: `${webhook.secret} (shown only now)` }));
    },
  },

  'webhook list': {
    summary: 'List your webhooks.',
    examples: ['webhook list'],
    async run(args, toledo) {
      const list = await toledo.listWebhooks();
      printAnswer(args, list, table(webhookHeadings, list.webhooks.map(webhookRow)));
    },
  },

  'webhook update WEBHOOK': {
    options: {
      url: option('URL', 'the new address'),
      events: someEvents,
      description,
      enabled: option('on|off', 'switch it on or off'),
    },
    summary: 'Change a webhook.',
    examples: ['webhook update whk_n7121r6nn9dy8qdwpzkv720ew8 --enabled off'],
    async run(args, toledo) {
      const enabled = oneOf(args.options.enabled, 'enabled', ['on', 'off']);
      const { url, description } = args.options;
      const changes = { url, description, events: typesOf(args), enabled: enabled && enabled === 'on' };
      if (Object.values(changes).every((change) => change === undefined))
        throw new UsageError('Name what to change: --url, --events, --description or --enabled.');
      const webhook = await toledo.updateWebhook(args.positionals[0] ?? '', changes);
      printAnswer(args, webhook, table(webhookHeadings, [webhookRow(webhook)]));
    },
  },

  'webhook delete WEBHOOK': {
    summary: 'Delete a webhook and the record of its deliveries.',
    examples: ['webhook delete whk_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const [webhook_id = ''] = args.positionals;
      await toledo.deleteWebhook(webhook_id);
      printAnswer(args, { webhook_id }, fields({ Deleted: webhook_id }));
    },
  },

  'webhook rotate WEBHOOK': {
    summary: 'Replace the secret; the old one signs too for 24 hours.',
    examples: ['webhook rotate whk_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const webhook = await toledo.rotateWebhookSecret(args.positionals[0] ?? '');
      const words = fields({
        Secret: `${webhook.secret} (shown only now)`,
        'Old secret': `signs until ${webhook.previous_secret_until}`,
      });
      printAnswer(args, webhook, words);
    },
  },

  'webhook test WEBHOOK': {
    summary: 'Send a test event now and show what came back.',
    examples: ['webhook test whk_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const result = await toledo.testWebhook(args.positionals[0] ?? '');
      const { delivered, status_code, error, duration_ms } = result;
      const outcome = `${status_code ?? error}, ${duration_ms} ms`;
      printAnswer(args, result, fields({ [delivered ? 'Delivered' : 'Failed']: outcome }));
      if (!delivered) endInFailure();
    },
  },

  'webhook deliveries WEBHOOK': {
    options: { status: option('S', 'pending, delivered or failed'), ...limitOption },
    summary: 'List what was sent to a webhook, newest first.',
    examples: ['webhook deliveries whk_n7121r6nn9dy8qdwpzkv720ew8 --status failed'],
    async run(args, toledo) {
      const page = await toledo.listDeliveries(args.positionals[0] ?? '', {
        limit: optionalCount(args, 'limit') ?? 20,
        status: oneOf(args.options.status, 'status', ['pending', 'delivered', 'failed']),
      });
      printAnswer(args, page, deliveryTable(page.deliveries));
    },
  },

  'webhook redeliver WEBHOOK DELIVERY': {
    summary: 'Send an event once more, under the same webhook-id.',
    examples: ['webhook redeliver whk_n7121r6nn9dy8qdwpzkv720ew8 dlv_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const [webhookId = '', deliveryId = ''] = args.positionals;
      const redelivery = await toledo.redeliver(webhookId, deliveryId);
      printAnswer(args, redelivery, fields({ Delivery: redelivery.delivery_id }));
    },
  },

  'webhook listen': {
    options: {
      forward: option('URL', 'post the events there, such as http://localhost:3000'),
      events: someEvents,
      secret: option('SECRET', 'sign with this secret; one is made by default'),
      after: option('CURSOR', 'go on after this place in the feed'),
    },
    summary: 'Follow your events, without a webhook or a public address.',
    examples: ['webhook listen --forward http://localhost:3000/hooks'],
    async run(args, toledo) {
      const { forward, secret = newSecret() } = args.options;
      if (forward !== undefined && !/^https?:\/\//.test(forward))
        throw new UsageError('--forward is an address such as http://localhost:3000.');
      if (forward !== undefined && args.options.secret === undefined)
        terminal().stderr.write(`Secret       ${secret}\n`);
      await listen(args, toledo, forward, secret);
    },
  },
});

/** Ends with Ctrl-C. */
async function listen(
  args: CommandArguments,
  toledo: Toledo,
  forward: string | undefined,
  secret: string,
): Promise<void> {
  const { after = 'latest' } = args.options;
  const types = typesOf(args);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  terminal().stderr.write('Listening. Ctrl-C ends it.\n');
  try {
    for await (const event of toledo.events({ after, intervalMs: 1_000, signal: stop.signal, types })) {
      const outcome = forward === undefined ? '' : ` → ${await post(forward, event, secret, stop.signal)}`;
      printLine(args.json ? JSON.stringify(event) : `${event.created_at}  ${event.type}  ${event.id}${outcome}`);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

/** What the program answered, or why it did not. */
async function post(url: string, event: Event, secret: string, signal: AbortSignal): Promise<string> {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json; charset=utf-8', ...(await signWebhook(body, event.id, secret)) };
  try {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: ending });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
  }
}

function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** @throws UsageError */
function typesOf(args: CommandArguments): EventType[] | undefined {
  return args.options.events?.split(',').map((name) => oneOf(name.trim(), 'events', eventTypes) as EventType);
}

export const webhookHeadings = ['WEBHOOK', 'STATE', 'EVENTS', 'URL'];

export function webhookRow(
  webhook: Pick<Webhook, 'webhook_id' | 'enabled' | 'disabled_reason' | 'failing_since' | 'events' | 'url'>,
): string[] {
  const state = webhook.enabled
    ? webhook.failing_since
      ? 'failing'
      : 'enabled'
    : `disabled${webhook.disabled_reason ? ` (${webhook.disabled_reason})` : ''}`;
  return [webhook.webhook_id, state, webhook.events.join(), webhook.url];
}

type ShownDelivery = Pick<
  DeliveryPage['deliveries'][number],
  'delivery_id' | 'event_id' | 'event_type' | 'status' | 'next_attempt_at' | 'created_at'
> & { attempts: { status_code: number | null; error: string | null }[] };

export function deliveryTable(deliveries: readonly ShownDelivery[]): string {
  return table(
    ['DELIVERY', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'LAST', 'NEXT', 'CREATED'],
    deliveries.map(({ attempts, ...delivery }) => {
      const last = attempts.at(-1);
      return [
        ...[delivery.delivery_id, delivery.event_id, delivery.event_type, delivery.status, attempts.length],
        ...[String(last?.status_code ?? last?.error ?? '–'), delivery.next_attempt_at ?? '–', delivery.created_at],
      ];
    }),
  );
}
