/** Webhooks from the partner's side, and a listener that brings events to a program under development. */
import { type Event, type EventType, signWebhook, type Toledo, type Webhook } from '../../../client/src/index.ts';
import { type Command, type CommandArguments, limitOption, oneOf, optionalText, UsageError } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { endInFailure, terminal } from '../terminal.ts';
import { optionalCount, partnerCommand } from './partner-command.ts';

const eventTypes = [
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.delivered',
  'task.chapter_ready',
  'balance.low',
  'webhook.disabled',
] as const satisfies readonly EventType[];

const createCommand = partnerCommand({
  name: 'webhook create',
  positionals: ['URL'],
  options: {
    events: { type: 'string', value: 'LIST', about: 'only these events; by default the ends of tasks' },
    description: { type: 'string', value: 'TEXT', about: 'a note of your own' },
  },
  summary: 'Have events sent to a URL.',
  examples: ['webhook create https://books.example/hooks --events task.completed,task.failed'],
  async run(args, toledo) {
    const webhook = await toledo.createWebhook({
      url: args.positionals[0] as string,
      events: typesOf(args) ?? ['task.completed', 'task.failed', 'task.cancelled', 'task.delivered'],
      description: optionalText(args, 'description'),
    });
    if (args.json) return printJson(webhook);
    printLine(`Webhook      ${webhook.webhook_id}`);
    printLine(`Secret       ${webhook.secret} (shown only now)`);
  },
});

const listCommand = partnerCommand({
  name: 'webhook list',
  positionals: [],
  options: {},
  summary: 'List your webhooks.',
  examples: ['webhook list'],
  async run(args, toledo) {
    const list = await toledo.listWebhooks();
    if (args.json) return printJson(list);
    printTable(['WEBHOOK', 'STATE', 'EVENTS', 'URL'], list.webhooks.map(webhookRow));
  },
});

const updateCommand = partnerCommand({
  name: 'webhook update',
  positionals: ['WEBHOOK'],
  options: {
    url: { type: 'string', value: 'URL', about: 'the new address' },
    events: { type: 'string', value: 'LIST', about: 'only these events, such as task.completed,task.failed' },
    description: { type: 'string', value: 'TEXT', about: 'a note of your own' },
    enabled: { type: 'string', value: 'on|off', about: 'switch it on or off' },
  },
  summary: 'Change a webhook.',
  examples: ['webhook update whk_n7121r6nn9dy8qdwpzkv720ew8 --enabled off'],
  async run(args, toledo) {
    const enabled = oneOf(optionalText(args, 'enabled'), 'enabled', ['on', 'off']);
    const changes = {
      url: optionalText(args, 'url'),
      description: optionalText(args, 'description'),
      events: typesOf(args),
      enabled: enabled && enabled === 'on',
    };
    if (Object.values(changes).every((change) => change === undefined))
      throw new UsageError('Name what to change: --url, --events, --description or --enabled.');
    const webhook = await toledo.updateWebhook(args.positionals[0] as string, changes);
    if (args.json) return printJson(webhook);
    printTable(['WEBHOOK', 'STATE', 'EVENTS', 'URL'], [webhookRow(webhook)]);
  },
});

const deleteCommand = partnerCommand({
  name: 'webhook delete',
  positionals: ['WEBHOOK'],
  options: {},
  summary: 'Delete a webhook and the record of its deliveries.',
  examples: ['webhook delete whk_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const webhook_id = args.positionals[0] as string;
    await toledo.deleteWebhook(webhook_id);
    if (args.json) return printJson({ webhook_id });
    printLine(`Deleted      ${webhook_id}`);
  },
});

const rotateCommand = partnerCommand({
  name: 'webhook rotate',
  positionals: ['WEBHOOK'],
  options: {},
  summary: 'Replace the secret; the old one signs too for 24 hours.',
  examples: ['webhook rotate whk_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const webhook = await toledo.rotateWebhookSecret(args.positionals[0] as string);
    if (args.json) return printJson(webhook);
    printLine(`Secret       ${webhook.secret} (shown only now)`);
    printLine(`Old secret   signs until ${webhook.previous_secret_until}`);
  },
});

const testCommand = partnerCommand({
  name: 'webhook test',
  positionals: ['WEBHOOK'],
  options: {},
  summary: 'Send a test event now and show what came back.',
  examples: ['webhook test whk_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const result = await toledo.testWebhook(args.positionals[0] as string);
    if (args.json) printJson(result);
    else
      printLine(
        `${result.delivered ? 'Delivered   ' : 'Failed      '} ${result.status_code ?? result.error}, ${result.duration_ms} ms`,
      );
    if (!result.delivered) endInFailure();
  },
});

const deliveriesCommand = partnerCommand({
  name: 'webhook deliveries',
  positionals: ['WEBHOOK'],
  options: {
    status: { type: 'string', value: 'S', about: 'pending, delivered or failed' },
    ...limitOption,
  },
  summary: 'List what was sent to a webhook, newest first.',
  examples: ['webhook deliveries whk_n7121r6nn9dy8qdwpzkv720ew8 --status failed'],
  async run(args, toledo) {
    const page = await toledo.listDeliveries(args.positionals[0] as string, {
      limit: optionalCount(args, 'limit') ?? 20,
      status: oneOf(optionalText(args, 'status'), 'status', ['pending', 'delivered', 'failed']),
    });
    if (args.json) return printJson(page);
    printTable(deliveryHeadings, page.deliveries.map(deliveryRow));
  },
});

const redeliverCommand = partnerCommand({
  name: 'webhook redeliver',
  positionals: ['WEBHOOK', 'DELIVERY'],
  options: {},
  summary: 'Send an event once more, under the same webhook-id.',
  examples: ['webhook redeliver whk_n7121r6nn9dy8qdwpzkv720ew8 dlv_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const [webhookId, deliveryId] = args.positionals as [string, string];
    const redelivery = await toledo.redeliver(webhookId, deliveryId);
    if (args.json) return printJson(redelivery);
    printLine(`Delivery     ${redelivery.delivery_id}`);
  },
});

const listenCommand = partnerCommand({
  name: 'webhook listen',
  positionals: [],
  options: {
    forward: { type: 'string', value: 'URL', about: 'post the events there, such as http://localhost:3000' },
    events: { type: 'string', value: 'LIST', about: 'only these events, such as task.completed,task.failed' },
    secret: { type: 'string', value: 'SECRET', about: 'sign with this secret; one is made by default' },
    after: { type: 'string', value: 'CURSOR', about: 'go on after this place in the feed' },
  },
  summary: 'Follow your events, without a webhook or a public address.',
  examples: ['webhook listen --forward http://localhost:3000/hooks'],
  async run(args, toledo) {
    const forward = optionalText(args, 'forward');
    if (forward !== undefined && !/^https?:\/\//.test(forward))
      throw new UsageError('--forward is an address such as http://localhost:3000.');
    const secret = optionalText(args, 'secret') ?? newSecret();
    if (forward !== undefined && optionalText(args, 'secret') === undefined)
      terminal().stderr.write(`Secret       ${secret}\n`);
    const types = typesOf(args);
    await listen(toledo, { forward, secret, after: optionalText(args, 'after') ?? 'latest', types, json: args.json });
  },
});

export const partnerWebhookCommands: Command[] = [
  createCommand,
  listCommand,
  updateCommand,
  deleteCommand,
  rotateCommand,
  testCommand,
  deliveriesCommand,
  redeliverCommand,
  listenCommand,
];

interface Listening {
  forward: string | undefined;
  secret: string;
  after: string;
  types: EventType[] | undefined;
  json: boolean;
}

/** Ends with Ctrl-C. */
async function listen(toledo: Toledo, { forward, secret, after, types, json }: Listening): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  terminal().stderr.write('Listening. Ctrl-C ends it.\n');
  try {
    const options = { after, intervalMs: 1_000, signal: stop.signal, types };
    for await (const event of toledo.events(options)) {
      const outcome = forward === undefined ? '' : ` → ${await post(forward, event, secret, stop.signal)}`;
      printLine(json ? JSON.stringify(event) : `${event.created_at}  ${event.type}  ${event.id}${outcome}`);
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
  const list = optionalText(args, 'events');
  if (list === undefined) return undefined;
  return list.split(',').map((name) => oneOf(name.trim(), 'events', eventTypes) as EventType);
}

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

export const deliveryHeadings = ['DELIVERY', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'LAST', 'NEXT', 'CREATED'];

export function deliveryRow(delivery: {
  delivery_id: string;
  event_id: string;
  event_type: string;
  status: string;
  next_attempt_at: string | null;
  created_at: string;
  attempts: { status_code: number | null; error: string | null }[];
}): (string | number)[] {
  const last = delivery.attempts.at(-1);
  return [
    delivery.delivery_id,
    delivery.event_id,
    delivery.event_type,
    delivery.status,
    delivery.attempts.length,
    String(last?.status_code ?? last?.error ?? '–'),
    delivery.next_attempt_at ?? '–',
    delivery.created_at,
  ];
}
