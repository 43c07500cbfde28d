import type { DeliveryPage, Webhook, WebhookList, WebhookTest } from '../../client/src/wire-types.ts';
import { queryText } from '../http/page-form.ts';
import { type Html, html } from '../pages/html.ts';
import { facts, moment, number, olderLink, pageHead, table, tag } from '../pages/parts.ts';
import { changeForm } from '../pages/work-page.ts';
import { type AccountRoutes, part, type Show } from './account-frame.ts';

export function registerWebhookPages({ page, change }: AccountRoutes): void {
  page('/webhooks', async (_request, frame) => {
    const { webhooks } = await frame.api.get<WebhookList>('/webhooks');
    const body = html`<h1>Webhooks</h1><section class="card">${table(
      ['Address', 'State', 'Events', 'Created'],
      webhooks.map((webhook) => [
        html`<a class="breakable" href="/account/webhooks/${webhook.webhook_id}">${webhook.url}</a>${webhook.description !== '' && html`<br><span class="muted small breakable">${webhook.description}</span>`}`,
        stateOf(webhook),
        webhook.events.join(', '),
        moment(webhook.created_at),
      ]),
      'There is no webhook yet. POST /webhooks makes one.',
    )}</section>`;
    return { title: 'Webhooks', section: 'webhooks', body };
  });

  const show: Show = async (request, frame) => {
    const path = `/webhooks/${part(request, 'id')}`;
    const webhook = await frame.api.get<Webhook>(path);
    const query = { limit: '20', cursor: queryText(request, 'before') };
    const { deliveries, next_cursor } = await frame.api.get<DeliveryPage>(`${path}/deliveries`, query);
    const at = `/account/webhooks/${webhook.webhook_id}`;
    const body = html`${pageHead(webhook.url, { href: '/account/webhooks', text: 'Webhooks' }, webhook.webhook_id)}
<div class="actions">${changeForm(frame, `${at}/test`, html`<button>Send a test event</button>`)}</div>
<section class="card"><h2>Webhook</h2>${facts([
      ['State', stateOf(webhook)],
      ['Events', webhook.events.join(', ')],
      ['Description', webhook.description === '' ? 'none' : webhook.description],
      ['Created', moment(webhook.created_at)],
    ])}</section>
<section class="card"><h2>Deliveries</h2>${table(
      ['Event', 'State', 'Attempts', 'Created', ''],
      deliveries.map((each) => {
        const last = each.attempts.at(-1);
        return [
          html`${each.event_type}<br><code class="small muted">${each.event_id}</code>`,
          html`${tag(each.status)}${last && html`<br><span class="small">${[last.status_code, last.error].filter((part) => part !== null).join(', ')}</span>`}${
            each.next_attempt_at !== null &&
            html`<br><span class="muted small">next ${moment(each.next_attempt_at)}</span>`
          }`,
          number(each.attempts.length),
          moment(each.created_at),
          webhook.enabled &&
            changeForm(frame, `${at}/deliveries/${each.delivery_id}/redeliver`, html`<button>Redeliver</button>`),
        ];
      }),
      'Nothing was sent in the last 30 days.',
    )}${olderLink(at, {}, next_cursor ?? undefined)}</section>`;
    return { title: 'Webhook', section: 'webhooks', body };
  };
  page('/webhooks/:id', show);
  change('/webhooks/:id/test', show, async (request, api) => {
    const { delivered, status_code, error } = await api.post<WebhookTest>(`/webhooks/${part(request, 'id')}/test`);
    return delivered
      ? { tone: 'good', text: `Your endpoint accepted the test event with status ${status_code}.` }
      : { tone: 'bad', text: `The test event was not accepted: ${[status_code, error].filter(Boolean).join(', ')}.` };
  });
  change('/webhooks/:id/deliveries/:delivery/redeliver', show, async (request, api) => {
    await api.post(`/webhooks/${part(request, 'id')}/deliveries/${part(request, 'delivery')}/redeliver`);
    return { tone: 'good', text: 'The event is sent once more.' };
  });
}

function stateOf({ enabled, disabled_reason, failing_since }: Webhook): Html {
  if (!enabled)
    return html`${tag('disabled', 'warn')}${disabled_reason !== null && html` <span class="small">${disabled_reason}</span>`}`;
  return failing_since === null
    ? tag('active')
    : html`${tag('failing', 'bad')} <span class="small">since ${moment(failing_since)}</span>`;
}
