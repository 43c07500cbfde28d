/** Random and ill-encoded text files, and hostile file names, through the whole API. Size: text files. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { readDocument } from '../documents/read-and-write.ts';
import { hostileFileName, parseContentDisposition, randomTextFile } from '../support/hostile-inputs.ts';
import { LeanClient } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { listFiles } from '../support/stored.ts';
import { untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const { size: files, seed: firstSeed } = proofRun({ short: 100, long: 2_000, seed: 0 });
const fileNames = Math.ceil(files / 2);
const app = await startTestApp();
const { key } = await app.account({ credits: 1_000_000_000, rateLimitPerMinute: 100_000 });

function form(fields: Record<string, string>, content: Uint8Array, fileName: string): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join('') + head), content, Buffer.from('\r\n--b--\r\n')]);
}

function holdsReplacementInUtf16(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes);
  return buffer.includes(Buffer.from([0xff, 0xfd])) || buffer.includes(Buffer.from([0xfd, 0xff]));
}

test(`${files} random and ill-encoded text files: a task or 400, never 5xx, never a character replaced in silence`, async (context) => {
  const client = new LeanClient(6);
  const statuses: Record<string, number> = {};
  const numbers = Array.from({ length: files }, (_, i) => firstSeed + i).values();
  const partner = async () => {
    for (const seed of numbers) {
      const { bytes, kind } = randomTextFile(seed);
      const body = form({ action: 'token_estimate', estimated_chars: '10000' }, bytes, 'novel.txt');
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const answer = await client.send('POST', `${app.rootUrl}/api/v1/tasks`, { key, headers, body });
      assert.ok(
        answer.status === 201 || answer.status === 400,
        `seed ${seed} (${kind}): ${answer.status} ${answer.text}`,
      );
      statuses[`${kind} ${answer.status}`] = (statuses[`${kind} ${answer.status}`] ?? 0) + 1;
      if (answer.status === 400) continue;
      const { document } = readDocument(bytes, { fileName: 'novel.txt' });
      const held = Buffer.from(bytes).includes('\ufffd') || holdsReplacementInUtf16(bytes);
      assert.ok(
        held || !JSON.stringify(document.sections).includes('\ufffd'),
        `seed ${seed} (${kind}): replaced in silence`,
      );
    }
  };
  await Promise.all(Array.from({ length: 6 }, partner));
  client.close();
  context.diagnostic(JSON.stringify(statuses));
});

test(`${fileNames} hostile file names through the API: plain storage paths, and a Content-Disposition that parses`, async (context) => {
  const client = new LeanClient(6);
  const numbers = Array.from({ length: fileNames }, (_, i) => firstSeed + i).values();
  const statuses: Record<number, number> = {};
  const partner = async () => {
    for (const seed of numbers) {
      const name = hostileFileName(seed);
      const body = form(
        { action: 'translation', target_lang: 'fr', char_limit: '40' },
        Buffer.from('The lamp was out.'),
        name,
      );
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const answer = await client.send('POST', `${app.rootUrl}/api/v1/tasks`, { key, headers, body });
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      assert.ok(answer.status === 201 || answer.status === 400, `seed ${seed}: ${answer.status} ${answer.text}`);
      if (answer.status === 400) continue;
      const { task_id } = JSON.parse(answer.text).data;
      const task = await untilEnded(app, key, task_id);
      assert.equal(task.status, 'completed', `seed ${seed}`);
      const file = await client.send('GET', `${app.rootUrl}/api/tasks/download-file/${task_id}`, { key });
      const header = file.headers['content-disposition'] ?? '';
      assert.equal(parseContentDisposition(header), task.download_files[0].file_name, `seed ${seed}`);
      assert.ok(!/[/\\\p{Cc}]/u.test(task.file_name), `seed ${seed}: ${task.file_name}`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, partner));
  client.close();
  const { rows } = await app.application.database.pool.query(
    'select storage_key as key from task_outputs union all select source_key from tasks where source_key is not null',
  );
  for (const row of rows) assert.match(row.key, /^[a-z0-9/_-]+$/);
  for (const path of await listFiles(app)) assert.match(path, /^[a-z0-9/_.-]+$/);
  assert.ok((statuses[201] ?? 0) >= fileNames * 0.9, JSON.stringify(statuses));
  context.diagnostic(JSON.stringify({ statuses, storedKeys: rows.length }));
});
