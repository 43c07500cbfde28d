import { test } from 'node:test';
import { proveServiceMutations } from '../support/service-mutations.ts';
import { proveForgeriesFail } from '../support/signed-url-mutations.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

test('2,000 damaged forms to the real service: no 5xx, no answer later than 5 s, no file left but those of tasks', async (context) => {
  const app = await startTestApp({ role: 'api' });
  context.diagnostic(JSON.stringify(await proveServiceMutations(app, 1, 2_000)));
});

test('5,000 changed download URLs: not one is accepted', async (context) => {
  const app = await startTestApp();
  const { key } = await app.account({ credits: 1_000 });
  const link = async (target_lang: string) => {
    const task = await run(app, key, { action: 'translation', target_lang, text: 'The lamp on the quay was out.' });
    return (await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key })).body.data.download_url as string;
  };
  const urls: [string, string] = [await link('de'), await link('fr')];
  context.diagnostic(JSON.stringify(await proveForgeriesFail({ urls, count: 5_000, seed: 2 })));
});
