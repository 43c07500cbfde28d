/** Requests and answers of events and webhooks, for the reference and the OpenAPI document. */
import { base, bearer, type Example, inThree } from './three-languages.ts';

/** Where an example's webhook goes. */
export const exampleReceiver = 'https://partner.example/toledo';
const json = `-H 'Content-Type: application/json'`;
const webhook = 'webhooks/$WEBHOOK_ID';
const webhookUrl = `{base}/webhooks/{os.environ['WEBHOOK_ID']}`;

export const eventExamples: Readonly<Record<string, Example[]>> = {
  listEvents: inThree(
    `curl -s "${base}/events?limit=10" ${bearer}`,
    `
// \`toledo.events()\` goes on for ever; this is one page.
const { events, next_after } = await toledo.listEvents({ limit: 10 });
for (const event of events) console.log(event.type, event.created_at);
console.log('go on after', next_after);`,
    `
page = requests.get(f"{base}/events", params={"limit": 10}, headers=key).json()["data"]
for event in page["events"]:
    print(event["type"], event["created_at"])
print("go on after", page["next_after"])`,
  ),
  createWebhook: inThree(
    `
curl -s ${base}/webhooks \\
  ${bearer} \\
  ${json} \\
  -d '{"url": "${exampleReceiver}", "events": ["task.completed", "task.failed"]}'`,
    `
const webhook = await toledo.createWebhook({
  url: '${exampleReceiver}',
  events: ['task.completed', 'task.failed'],
});
console.log(webhook.webhook_id, webhook.secret);`,
    `
webhook = requests.post(
    f"{base}/webhooks",
    headers=key,
    json={"url": "${exampleReceiver}", "events": ["task.completed", "task.failed"]},
).json()["data"]
print(webhook["webhook_id"], webhook["secret"])`,
  ),
  listWebhooks: inThree(
    `curl -s ${base}/webhooks ${bearer}`,
    `
const { webhooks } = await toledo.listWebhooks();
for (const webhook of webhooks) console.log(webhook.webhook_id, webhook.url, webhook.enabled);`,
    `
for webhook in requests.get(f"{base}/webhooks", headers=key).json()["data"]["webhooks"]:
    print(webhook["webhook_id"], webhook["url"], webhook["enabled"])`,
  ),
  getWebhook: inThree(
    `curl -s ${base}/${webhook} ${bearer}`,
    `
const webhook = await toledo.getWebhook(process.env.WEBHOOK_ID!);
console.log(webhook.url, webhook.failing_since);`,
    `
webhook = requests.get(f"${webhookUrl}", headers=key).json()["data"]
print(webhook["url"], webhook["failing_since"])`,
  ),
  updateWebhook: inThree(
    `curl -s -X PATCH ${base}/${webhook} ${bearer} ${json} -d '{"events": ["task.completed"]}'`,
    `
const webhook = await toledo.updateWebhook(process.env.WEBHOOK_ID!, { events: ['task.completed'] });
console.log(webhook.events);`,
    `
webhook = requests.patch(f"${webhookUrl}", headers=key, json={"events": ["task.completed"]}).json()["data"]
print(webhook["events"])`,
  ),
  rotateWebhookSecret: inThree(
    `curl -s -X POST ${base}/${webhook}/rotate-secret ${bearer}`,
    `
const webhook = await toledo.rotateWebhookSecret(process.env.WEBHOOK_ID!);
console.log(webhook.secret, webhook.previous_secret_until);`,
    `
webhook = requests.post(f"${webhookUrl}/rotate-secret", headers=key).json()["data"]
print(webhook["secret"], webhook["previous_secret_until"])`,
  ),
  testWebhook: inThree(
    `curl -s -X POST ${base}/${webhook}/test ${bearer}`,
    `
const test = await toledo.testWebhook(process.env.WEBHOOK_ID!);
console.log(test.delivered, test.status_code, test.duration_ms);`,
    `
test = requests.post(f"${webhookUrl}/test", headers=key).json()["data"]
print(test["delivered"], test["status_code"], test["duration_ms"])`,
  ),
  listDeliveries: inThree(
    `curl -s "${base}/${webhook}/deliveries?limit=10" ${bearer}`,
    `
const { deliveries } = await toledo.listDeliveries(process.env.WEBHOOK_ID!, { limit: 10 });
for (const each of deliveries) console.log(each.event_type, each.status, each.attempts.length);`,
    `
page = requests.get(f"${webhookUrl}/deliveries", params={"limit": 10}, headers=key).json()["data"]
for each in page["deliveries"]:
    print(each["event_type"], each["status"], len(each["attempts"]))`,
  ),
  redeliver: inThree(
    `curl -s -X POST ${base}/${webhook}/deliveries/$DELIVERY_ID/redeliver ${bearer}`,
    `
const again = await toledo.redeliver(process.env.WEBHOOK_ID!, process.env.DELIVERY_ID!);
console.log(again.delivery_id);`,
    `
again = requests.post(f"${webhookUrl}/deliveries/{os.environ['DELIVERY_ID']}/redeliver", headers=key).json()["data"]
print(again["delivery_id"])`,
  ),
  deleteWebhook: inThree(
    `curl -s -X DELETE ${base}/${webhook} ${bearer}`,
    `
await toledo.deleteWebhook(process.env.WEBHOOK_ID!);
console.log('nothing is sent there any more');`,
    `
answer = requests.delete(f"${webhookUrl}", headers=key).json()
print(answer["success"])`,
  ),
};

const createdAt = '2026-11-15T08:30:00.000Z';
const id = (prefix: string) => `${prefix}_8ta8v2q3ra4acqps0bs2qqnr8c`;
const shown = {
  webhook_id: id('whk'),
  url: exampleReceiver,
  description: '',
  events: ['task.completed', 'task.failed'],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: createdAt,
};
const outcome = { duration_ms: 84, status_code: 204, error: null, answer: '' };

export const eventAnswers: Readonly<Record<string, object>> = {
  listEvents: {
    events: [
      {
        id: id('evt'),
        type: 'task.completed',
        created_at: '2026-11-15T09:04:12.000Z',
        data: { task_id: id('task'), status: 'completed', char_count: 418204, credits_charged: 418204 },
      },
    ],
    next_after: id('evt'),
  },
  createWebhook: { ...shown, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  listWebhooks: { webhooks: [shown] },
  getWebhook: shown,
  updateWebhook: { ...shown, events: ['task.completed'] },
  rotateWebhookSecret: {
    ...shown,
    previous_secret_until: '2026-11-16T08:30:00.000Z',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
  testWebhook: { delivered: true, ...outcome },
  listDeliveries: {
    deliveries: [
      {
        delivery_id: id('dlv'),
        event_id: id('evt'),
        event_type: 'task.completed',
        status: 'delivered',
        next_attempt_at: null,
        created_at: '2026-11-15T09:04:12.000Z',
        attempts: [{ number: 1, attempted_at: '2026-11-15T09:04:12.300Z', ...outcome }],
      },
    ],
    next_cursor: null,
  },
  redeliver: { delivery_id: id('dlv') },
  deleteWebhook: { webhook_id: id('whk') },
};
