/** An application as a bare machine starts it: no engine is named, so the built-in one translates. */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from './test-app.ts';

export const englishPage = [
  'CHAPTER II. THE LETTER',
  '“Is anybody there?” asked Hannah. “I have seen the light of Elmstead from the road.”',
  'Nobody answered. Hannah set the lamp on the table of the mill and opened the letter of her brother Tom.',
  'II',
  'Tom had written only one word, and it was _Elmstead_.',
].join('\n\n');

export function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

export async function startDraftApp() {
  const app = await startTestApp({ env: { TOLEDO_ENGINE: '' } });
  const { id, key } = await app.account({ credits: 1_000_000 });

  async function create(fields: Record<string, string>, as = key) {
    return await app.call('POST', '/api/v1/tasks', { key: as, body: form({ action: 'translation', ...fields }) });
  }

  async function ended(taskId: string, as = key) {
    for (;;) {
      const { body } = await app.call('GET', `/api/v1/tasks/${taskId}`, { key: as });
      if (body.data.status !== 'pending') return body.data;
      await sleep(100);
    }
  }

  async function translated(fields: Record<string, string>, as = key) {
    const created = await create({ target_lang: 'en', ...fields }, as);
    assert.equal(created.status, 201, created.text);
    const task = await ended(created.body.data.task_id, as);
    const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key: as });
    return { task, text: await (await fetch(body.data.download_url)).text() };
  }

  return { app, id, key, create, ended, translated };
}
