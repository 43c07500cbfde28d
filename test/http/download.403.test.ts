import { strict as assert } from 'node:assert';
import { request } from 'node:http';
import { test } from 'node:test';
import { revokeKey } from '../../src/accounts/account-store.ts';
import { signedDownloadPath, verifyDownload } from '../../src/tasks/download-links.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const owner = await app.account({ credits: 10_000 });
const task = await run(app, owner.key, {
  action: 'translation',
  target_lang: 'de',
  text: 'The lamp on the quay was out.',
});
const link = async (key: string, taskId = task.task_id) =>
  (await app.call('GET', `/api/v1/tasks/${taskId}/download`, { key })).body.data.download_url as string;

test('a URL ends with its lifetime, to the second', async () => {
  const { urlSigningKey } = app.application.secrets;
  const { rows } = await app.application.database.pool.query('select id from api_keys where account_id = $1', [
    owner.id,
  ]);
  const at = (expiresAtSeconds: number) =>
    signedDownloadPath(
      { taskId: task.task_id, fileId: 'translated', keyId: rows[0].id, expiresAtSeconds },
      urlSigningKey,
    );
  const now = Math.floor(Date.now() / 1000);
  assert.equal((await app.call('GET', at(now + 30))).status, 200);
  const expired = await app.call('GET', at(now - 1));
  assert.deepEqual([expired.status, expired.body.error.code], [403, 'DOWNLOAD_URL_EXPIRED']);
  const query = new URL(at(1_900_000_000), app.rootUrl).searchParams;
  const verify = (ms: number) => verifyDownload(task.task_id, query, urlSigningKey, new Date(ms));
  assert.equal(verify(1_900_000_000_000 - 1).fileId, 'translated');
  assert.throws(() => verify(1_900_000_000_000), { code: 'DOWNLOAD_URL_EXPIRED' });
});

test('a URL that another key has signed is refused', () => {
  const [own, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const grant = { taskId: task.task_id, fileId: 'report', keyId: 'key_x', expiresAtSeconds: 1_900_000_000 };
  const query = new URL(signedDownloadPath(grant, own), app.rootUrl).searchParams;
  assert.deepEqual(verifyDownload(task.task_id, query, own, new Date(0)), grant);
  assert.throws(() => verifyDownload(task.task_id, query, other, new Date(0)), { code: 'DOWNLOAD_URL_INVALID' });
});

test('a URL dies with the key that asked for it, and with no other', async () => {
  const [doomed, kept] = [await app.newKey(owner.id), await app.newKey(owner.id)];
  const [dies, lives] = [await link(doomed.key), await link(kept.key)];
  assert.equal((await fetch(dies)).status, 200);
  await revokeKey(app.application.database.db, doomed.prefix);
  assert.equal((await fetch(dies)).status, 403);
  assert.equal((await fetch(lives)).status, 200);
});

test('a signature never stands in for a Bearer key elsewhere, nor a wrong key for a signature', async () => {
  const url = new URL(await link(owner.key));
  assert.equal((await app.call('GET', `/api/v1/tasks/${task.task_id}${url.search}`)).status, 401);
  assert.equal((await app.call('GET', `/api/tasks/download-file/${task.task_id}`)).status, 401);
  const stranger = await app.account();
  assert.equal((await app.call('GET', url.pathname, { key: stranger.key })).status, 404);
});

test('what follows a second question mark belongs to the signature, and spoils it', async () => {
  const url = new URL(await link(owner.key));
  const status = await new Promise((resolve) => {
    request({ host: url.hostname, port: url.port, path: `${url.pathname}${url.search}?x=1` }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
  assert.equal(status, 403);
});
