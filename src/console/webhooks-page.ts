import type { FastifyRequest } from 'fastify';
import { type DeliveryStatus, deliveryStatuses } from '../events/webhook.ts';
import { queryText } from '../http/page-form.ts';
import { type ListedDelivery, recentDeliveries } from '../operators/delivery-list-store.ts';
import { redeliverForAccount } from '../operators/webhook-changes.ts';
import { html } from '../pages/html.ts';
import { choice, moment, number, olderLink, table, tag } from '../pages/parts.ts';
import { changeForm } from '../pages/work-page.ts';
import { type ConsoleFrame, consolePage } from './console-page.ts';
import { type ConsoleRoutes, type ConsoleServices, param } from './console-routes.ts';

const pageSize = 50;

export function registerWebhooksPage({ page, change }: ConsoleRoutes, { db, queue }: ConsoleServices): void {
  const show = async (request: FastifyRequest, frame: ConsoleFrame) => {
    const wanted = queryText(request, 'status');
    const status = (deliveryStatuses as readonly string[]).includes(wanted) ? (wanted as DeliveryStatus) : undefined;
    const before = queryText(request, 'before') || undefined;
    const found = await recentDeliveries(db, { status, before, limit: pageSize + 1 });
    const shown = found.slice(0, pageSize);
    return webhooksPage(frame, status ?? '', shown, found.length > pageSize ? shown.at(-1)?.id : undefined);
  };
  page('/webhooks', show);
  change('/webhooks/:account/:webhook/:delivery/redeliver', {
    async apply(request, actor) {
      await redeliverForAccount({ db, queue }, actor, {
        accountId: param(request, 'account'),
        webhookId: param(request, 'webhook'),
        deliveryId: param(request, 'delivery'),
      });
      return 'redelivered';
    },
    back: () => '/console/webhooks',
    show,
  });
}

const statusChoices = [
  ['', 'any'],
  ['pending', 'pending'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
] as const;

function webhooksPage(
  frame: ConsoleFrame,
  status: string,
  deliveries: readonly ListedDelivery[],
  older: string | undefined,
): string {
  const body = html`<h1>Webhooks</h1>
<form class="search" method="get" action="/console/webhooks">${choice('Status', 'status', statusChoices, status)}<button class="primary">Show</button></form>
${table(
  ['Event', 'Account', 'Webhook', 'State', 'Attempts', 'Created', ''],
  deliveries.map((each) => [
    html`${each.eventType}${each.taskId !== undefined && html`<br><a class="small" href="/console/tasks/${each.taskId}">its task</a>`}`,
    html`<a href="/console/accounts/${each.accountId}">${each.accountName}</a>`,
    html`<span class="breakable">${each.url}</span><br><code class="small">${each.webhookId}</code>${!each.enabled && html` ${tag('disabled', 'warn')}`}`,
    html`${tag(each.status)}${(each.statusCode !== undefined || each.error !== undefined) && html`<br><span class="small">${[each.statusCode, each.error].filter((part) => part !== undefined).join(', ')}</span>`}${
      each.nextAttemptAt && html`<br><span class="muted small">next ${moment(each.nextAttemptAt)}</span>`
    }`,
    number(each.attempts),
    moment(each.createdAt),
    each.enabled &&
      changeForm(
        frame,
        `/console/webhooks/${each.accountId}/${each.webhookId}/${each.id}/redeliver`,
        html`<button>Redeliver</button>`,
      ),
  ]),
  'No delivery matches.',
)}${olderLink('/console/webhooks', { status }, older)}`;
  return consolePage(frame, { title: 'Webhooks', section: 'webhooks', body });
}
