import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { signWebhook } from '../../client/src/index.ts';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/workers.ts';

const guide = await readFile('docs/api/events.md', 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'toledo-receivers-'));
after(() => rm(folder, { recursive: true, force: true }));
const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

const codeOf = (language: string) => {
  const code = new RegExp(`^\`\`\`${language} receiver\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1];
  assert.ok(code, `the guide has a receiver in ${language}`);
  return code;
};

/** Runs a receiver and asserts that it takes what is genuine and refuses what is not. */
async function proveReceiver(command: string, file: string, code: string): Promise<void> {
  const path = join(folder, file);
  await writeFile(path, code);
  const port = await freePort();
  const child = spawn(command, [path], { env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  after(() => child.kill('SIGKILL'));
  const body = JSON.stringify({ id: 'evt_1', type: 'task.completed', created_at: 'x', data: { name: 'Ünïcode' } });
  const post = async (headers: Record<string, string>, text = body) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers })).status;
  const genuine = await signWebhook(body, 'evt_1', secret);
  await eventually(
    () =>
      post(genuine).then(
        (status) => status === 204,
        () => false,
      ),
    `a receiver that listens: ${printed}`,
  );
  const [, signature] = (genuine['webhook-signature'] as string).split(',');
  assert.equal(await post({ ...genuine, 'webhook-signature': `v1,AAAA v1,${signature}` }), 204, 'two signatures');
  assert.equal(await post(genuine, `${body} `), 400, 'another body');
  assert.equal(await post({ ...genuine, 'webhook-id': 'evt_2' }), 400, 'another id');
  assert.equal(await post({ 'content-type': 'application/json' }), 400, 'no signature');
  const old = await signWebhook(body, 'evt_1', secret, new Date(Date.now() - 600_000));
  assert.equal(await post(old), 400, 'too old');
  assert.match(printed, /task\.completed evt_1/);
}

test('the receiver in TypeScript of the guide takes what is genuine and nothing else', async () => {
  const client = new URL('../../client/src/index.ts', import.meta.url).href;
  await proveReceiver(process.execPath, 'receiver.ts', codeOf('ts').replace('@toledo/client', client));
});

if (spawnSync('python3', ['--version']).status === 0) {
  test('the receiver in Python of the guide takes what is genuine and nothing else', async () => {
    await proveReceiver('python3', 'receiver.py', codeOf('python'));
  });
}
