/** Every example of the reference page runs as it is printed. Needs curl and Python with requests. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Toledo } from '../../client/src/index.ts';
import { type OpenapiDocument, operationsOf } from '../../src/pages/reference/openapi-types.ts';
import { samplesOf } from '../../src/pages/reference/samples.ts';
import { runExample } from '../support/examples.ts';
import { requirePrograms } from '../support/proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';

requirePrograms({ curl: 'Debian package curl', python3: 'Debian packages python3 and python3-requests' });

const app = await startTestApp({ env: localWebhooks });
const receiver = await startWebhookReceiver();
const { key } = await app.account({ credits: 100_000 });
const toledo = new Toledo({ baseUrl: `${app.rootUrl}/api/v1`, apiKey: key });
const folder = await mkdtemp(join(tmpdir(), 'toledo-examples-'));
after(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'novel.txt'), 'La carta llegó de Puerto Calmo un martes.\n\n'.repeat(20));
await writeFile(join(folder, 'package.json'), '{"type": "module"}');
const done = await toledo.createTask({
  action: 'translation',
  target_lang: 'en',
  file: join(folder, 'novel.txt'),
  char_limit: 500,
});
await toledo.wait(done.task_id);

const programs: Record<string, (file: string) => [string, string[]]> = {
  curl: (file) => ['sh', [file]],
  TypeScript: (file) => [process.execPath, [file]],
  Python: (file) => ['python3', [file]],
};
const endings: Record<string, string> = { curl: 'sh', TypeScript: 'ts', Python: 'py' };
const clientUrl = new URL('../../client/src/index.ts', import.meta.url).href;

const openapi = (await app.call('GET', '/api/v1/openapi.json')).body as OpenapiDocument;
const exampleReceiver = 'https://partner.example/toledo';

for (const located of operationsOf(openapi)) {
  const operation = located.operation.operationId;
  for (const { title, code } of samplesOf(located, app.rootUrl, openapi.components.schemas)) {
    test(`${operation} in ${title} runs as printed`, async () => {
      const taskId = operation === 'cancelTask' || operation === 'deleteTask' ? await stuckTask() : done.task_id;
      const file = join(folder, `${operation}.${endings[title]}`);
      await writeFile(
        file,
        code.replaceAll(exampleReceiver, receiver.url).replace("'@toledo/client'", `'${clientUrl}'`),
      );
      const [program, args] = (programs[title] as (file: string) => [string, string[]])(file);
      const { webhookId, deliveryId } = code.includes('WEBHOOK_ID') ? await deliveredWebhook() : {};
      const ids = {
        TASK_ID: taskId,
        WEBHOOK_ID: webhookId ?? '',
        DELIVERY_ID: deliveryId ?? '',
        SERIES_ID: code.includes('SERIES_ID') ? await seriesWithTerm() : '',
        LINK_ID: code.includes('LINK_ID') ? (await toledo.readerLink(taskId)).link_id : '',
      };
      const env = { ...process.env, TOLEDO_API_KEY: key, ...ids };
      const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env });
      if (title === 'curl' && !code.includes('-o ')) assert.equal(JSON.parse(stdout).success, true, stdout);
      else if (title !== 'curl') assert.notEqual(stdout.trim(), '', fileURLToPath(`file://${file}`));
    });
  }
}

test('the example in Python translates a book and leads to the reader', async () => {
  const { stdout, written } = await runExample('python3', 'translate_book.py', { rootUrl: app.rootUrl, key });
  assert.match(written, /^# /);
  const [, link = ''] = /Read it at (\S+)/.exec(stdout) ?? [];
  assert.equal((await fetch(link)).status, 200);
});

/** One that has delivered something; the ones before are removed, an account may have ten. */
async function deliveredWebhook(): Promise<{ webhookId: string; deliveryId: string }> {
  for (const { webhook_id } of (await toledo.listWebhooks()).webhooks) await toledo.deleteWebhook(webhook_id);
  const { webhook_id: webhookId } = await toledo.createWebhook({ url: receiver.url, events: ['task.completed'] });
  const { task_id } = await toledo.createTask({ action: 'token_estimate', text: 'hola', target_lang: 'en' });
  await toledo.wait(task_id);
  for (;;) {
    const [delivery] = (await toledo.listDeliveries(webhookId)).deliveries;
    if (delivery?.status === 'delivered') return { webhookId, deliveryId: delivery.delivery_id };
    await sleep(100);
  }
}

async function seriesWithTerm(): Promise<string> {
  const { series_id } = await toledo.createSeries({ title: 'El Faro de Sal', source_lang: 'es', target_lang: 'en' });
  await toledo.setSeriesTerms(series_id, [{ source: 'Puerto Calmo', target: 'Calm Harbour' }]);
  return series_id;
}

async function stuckTask(): Promise<string> {
  const task = await toledo.createTask({
    action: 'translation',
    text: 'hola',
    source_lang: 'es',
    target_lang: 'en-x-outage',
  });
  return task.task_id;
}
