import type { FastifyRequest } from 'fastify';
import { type DeliveryStatus, deliveryStatuses } from '../events/webhook.ts';
import { queryText } from '../http/page-form.ts';
import { redeliverForAccount } from '../operators/account-changes.ts';
import { findWebhookOfAny, type ListedWebhook, recentDeliveries } from '../operators/lists-store.ts';
import { type Html, html } from '../pages/html.ts';
import { facts, moment, number, olderLink, pageHead, pageOf, pageSize, stateTabs, table, tag } from '../pages/parts.ts';
import { changeForm, type WorkFrame } from '../pages/work-page.ts';
import type { Db } from '../platform/postgres.ts';
import { type ConsoleRoutes, type ConsoleServices, param, type Show } from './console-routes.ts';

export function registerWebhookPages({ page, change }: ConsoleRoutes, { db, queue }: ConsoleServices): void {
  page('/webhooks', async (request, frame) => {
    const body = html`<h1>Webhooks</h1>${deliveries(frame, await listDeliveries(db, request, undefined), '/console/webhooks')}`;
    return { title: 'Webhooks', section: 'webhooks', body };
  });
  const show: Show = async (request, frame) => {
    const webhook = await findWebhookOfAny(db, param(request, 'webhook'));
    const list = await listDeliveries(db, request, webhook.id);
    const body = html`${pageHead(webhook.url, { href: '/console/webhooks', text: 'Webhooks' }, webhook.id)}
<section class="card"><h2>Webhook</h2>${facts([
      ['Account', html`<a href="/console/accounts/${webhook.accountId}">${webhook.accountName}</a>`],
      ['State', stateOf(webhook)],
      ['Events', webhook.eventTypes.join(', ')],
      [
        'Description',
        html`<span class="breakable">${webhook.description === '' ? 'none' : webhook.description}</span>`,
      ],
      ['Kind', webhook.sandbox ? 'test' : 'live'],
      ['Created', moment(webhook.createdAt)],
    ])}</section>
<h2>Deliveries</h2>${deliveries(frame, list, `/console/webhooks/${webhook.id}`)}`;
    return { title: 'Webhook', section: 'webhooks', body };
  };
  page('/webhooks/:webhook', show);
  change('/webhooks/:account/:webhook/:delivery/redeliver', show, async (request, actor) => {
    const webhookId = param(request, 'webhook');
    const order = { accountId: param(request, 'account'), webhookId, deliveryId: param(request, 'delivery') };
    await redeliverForAccount({ db, queue }, actor, order);
    return { goTo: `/console/webhooks/${webhookId}?done=redelivered` };
  });
}

async function listDeliveries(db: Db, request: FastifyRequest, webhookId: string | undefined) {
  const wanted = queryText(request, 'status');
  const status = (deliveryStatuses as readonly string[]).includes(wanted) ? (wanted as DeliveryStatus) : undefined;
  const before = queryText(request, 'before') || undefined;
  const listed = await recentDeliveries(db, { status, webhookId, before, limit: pageSize + 1 });
  return { status: status ?? '', ...pageOf(listed, ({ id }) => id) };
}

function stateOf({ enabled, disabledReason, failingSince }: ListedWebhook): Html {
  if (!enabled) return html`${tag('disabled', 'warn')} ${disabledReason}`;
  return failingSince ? html`${tag('failing', 'bad')} since ${moment(failingSince)}` : tag('active');
}

const states = { '': 'All', pending: 'Pending', delivered: 'Delivered', failed: 'Failed' };

type DeliveryList = Awaited<ReturnType<typeof listDeliveries>>;

function deliveries(frame: WorkFrame, { status, shown, older }: DeliveryList, at: string): Html {
  return html`${stateTabs(at, { status }, states)}${table(
    ['Event', 'State', 'Account', 'Webhook', 'Attempts', 'Created', ''],
    shown.map((each) => [
      html`${each.eventType}${each.taskId !== undefined && html`<br><a class="small" href="/console/tasks/${each.taskId}">its task</a>`}`,
      html`${tag(each.status)}${(each.statusCode !== undefined || each.error !== undefined) && html`<br><span class="small">${[each.statusCode, each.error].filter((part) => part !== undefined).join(', ')}</span>`}${
        each.nextAttemptAt && html`<br><span class="muted small">next ${moment(each.nextAttemptAt)}</span>`
      }`,
      html`<a href="/console/accounts/${each.accountId}">${each.accountName}</a>`,
      html`<a class="breakable" href="/console/webhooks/${each.webhookId}">${each.url}</a>${!each.enabled && html` ${tag('disabled', 'warn')}`}`,
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
  )}${olderLink(at, { status }, older)}`;
}
