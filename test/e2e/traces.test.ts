import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/platform/log.ts';
import { currentTraceparent, openTracing, withSpan } from '../../src/platform/tracing.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startTestApp } from '../support/test-app.ts';

const receiver = await startOtlpReceiver();
after(() => receiver.stop());
const app = await startTestApp({ env: { TOLEDO_OTLP_ENDPOINT: receiver.url, TOLEDO_LOG_LEVEL: 'silent' } });

const marked = 'Zanzibarine';
const paragraphs = Array.from({ length: 60 }, (_, i) => `${marked} lit lamp ${i} and counted the ships in the bay.`);

async function translate(): Promise<string> {
  const { key } = await app.account({ credits: 100_000 });
  const body = new FormData();
  for (const [name, value] of Object.entries({ action: 'translation', source_lang: 'en', target_lang: 'fr' }))
    body.set(name, value);
  body.set('estimated_chars', '10000');
  body.set('metadata', JSON.stringify({ external_id: marked }));
  body.set('file', new Blob([paragraphs.join('\n\n')]), `${marked}.txt`);
  const created = await app.call('POST', '/api/v1/tasks', { key, body, headers: { 'idempotency-key': marked } });
  assert.equal(created.status, 201, created.text);
  for (let status = 'pending'; status === 'pending'; await sleep(50))
    status = (await app.call('GET', `/api/v1/tasks/${created.body.data.task_id}`, { key })).body.data.status;
  return created.body.data.task_id;
}

test('one translation is one connected trace from the create call to every engine call', async () => {
  const taskId = await translate();
  await receiver.until((span) => span.name === 'run task');

  const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
  const pathOf = (span: ReceivedSpan): string[] => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    assert.ok(span.parentSpanId === undefined || parent, `the parent of "${span.name}" was sent too`);
    return [...(parent ? pathOf(parent) : []), span.name];
  };
  const paths = receiver.spans.map((span) => pathOf(span).join(' > '));
  assert.equal(new Set(receiver.spans.map((span) => span.traceId)).size, 1);
  assert.deepEqual(
    paths.filter((path) => !path.includes(' > ')),
    ['create task'],
    'one root',
  );
  const job = 'create task > insert task > run task';
  for (const path of [job, `${job} > read source`, `${job} > write outputs`, `${job} > complete task`])
    assert.equal(paths.filter((each) => each === path).length, 1, path);

  const segments = receiver.spans.filter((span) => span.name === 'translate segment');
  assert.ok(segments.length > 1);
  for (const segment of segments) {
    const calls = receiver.spans.filter((span) => span.name === 'call engine' && span.parentSpanId === segment.spanId);
    assert.equal(calls.length, segment.attributes['toledo.calls'], 'every call of a segment is in the trace');
    assert.equal(segment.attributes['toledo.target_lang'], 'fr');
  }
  const run = receiver.spans.find((span) => span.name === 'run task');
  assert.equal(run?.attributes['toledo.task'], taskId);
});

test('a trace holds nothing that a partner wrote', () => {
  assert.ok(receiver.spans.length > 0);
  assert.ok(!JSON.stringify(receiver.spans).includes(marked));
});

test('a fault is named by its kind, without its message', async () => {
  const { key } = await app.account();
  const refused = await app.call('POST', '/api/v1/tasks', {
    key,
    body: new URLSearchParams({ action: 'translation', target_lang: 'fr', text: marked }),
  });
  assert.equal(refused.status, 402);
  const requestId = refused.headers.get('x-request-id');
  const ofRefused = (span: ReceivedSpan) => span.attributes['toledo.request'] === requestId;
  await receiver.until(ofRefused);
  assert.deepEqual(receiver.spans.find(ofRefused)?.status, { code: 2, message: 'PAYMENT_REQUIRED' });
});

test('a collector that goes away costs nothing but its spans', async () => {
  await receiver.stop();
  await translate();
  await app.application.stop();
});

test('without an endpoint nothing is traced', async () => {
  const tracing = await openTracing(undefined, 'api', createLog('silent'));
  const options = { kind: 'server', attributes: {} } as const;
  const seen = await tracing.startTrace('create task', options, () =>
    withSpan('step', {}, async () => currentTraceparent()),
  );
  assert.equal(seen, undefined);
});
