import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from '../support/test-app.ts';
import { startPartner, story } from './partner.ts';

const partner = await startPartner();
const { proxy, toledo, folder } = partner;
/** They are there before anything vanishes: how long a start takes is no matter of the client. */
const successors = [await startTestApp({ beside: partner.app }), await startTestApp({ beside: partner.app })];

/** The service goes away mid-sentence, and a moment later another process' worth of it answers on the same data. */
async function restart(): Promise<void> {
  await proxy.vanish();
  const next = successors.shift();
  assert.ok(next);
  proxy.target = Number(new URL(next.rootUrl).port);
  await sleep(300);
  await proxy.appear();
}

test('a restart in the middle of an upload and of a download costs retries and nothing else', async () => {
  const path = join(folder, 'novel.txt');
  await writeFile(path, story(400_000));
  let restarted: Promise<void> | undefined;
  let uploads = 0;
  const client = partner.client({
    fetch: (url, init) => {
      if (init?.method === 'POST') {
        uploads += 1;
        restarted ??= sleep(10).then(restart);
      }
      return fetch(url, init);
    },
  });
  const before = await toledo.usage();
  const task = await client.createTask({
    action: 'translation',
    file: path,
    char_limit: 3_000,
    source_lang: 'es',
    target_lang: 'en',
  });
  await restarted;
  assert.ok(uploads >= 2, `${uploads} uploads`);
  assert.equal((await toledo.wait(task.task_id)).status, 'completed');
  const { tasks } = await toledo.listTasks();
  assert.equal(tasks.length, 1, 'one task');
  assert.equal((await toledo.usage()).balance_credits, before.balance_credits - 3_000);

  const to = join(folder, 'novel.en.txt');
  let again: Promise<void> | undefined;
  proxy.inflict({ cutAnswerAfterBytes: 3_000 }, { cutAnswerAfterBytes: 2_000 });
  const file = await toledo.download(task.task_id, {
    to,
    onBytes: (received, total) => {
      if (received < total) again ??= restart();
    },
  });
  await again;
  assert.ok(again, 'the restart came in the middle of the download');
  assert.equal((await readFile(to)).length, file.file_size);
});
