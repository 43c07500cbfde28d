/**
 * Hundreds of clients that send or read as slowly as they can do not slow the others down. Needs slowhttptest. Size:
 * seconds of each attack.
 */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeanClient, percentile } from '../support/lean-client.ts';
import { proofRun, requirePrograms } from '../support/proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

requirePrograms({ slowhttptest: 'Debian package slowhttptest' });

const sockets = 500;
const { size: seconds } = proofRun({ short: 60, long: 60 });

const app = await startTestApp({ role: 'api' });
const serve = await startServe(
  { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl, TOLEDO_PORT: '0' },
  ['--role', 'api'],
);
after(async () => {
  serve.child.kill('SIGTERM');
  await serve.exited;
});
const { key } = await app.account({ rateLimitPerMinute: 100_000 });

/** A client that never sends the end is closed before the attack ends; a slow reader's small answer has long been handed over. */
const modes: [title: string, args: string[], isClosed: boolean][] = [
  ['headers that never end', ['-H', '-i', '5', '-u', `${serve.rootUrl}/api/v1/usage`], true],
  ['bodies that never end', ['-B', '-i', '5', '-s', '8192', '-t', 'POST', '-u', `${serve.rootUrl}/api/v1/tasks`], true],
  [
    'answers read byte by byte',
    ['-X', '-k', '3', '-w', '1', '-y', '2', '-n', '5', '-z', '1', '-u', `${serve.rootUrl}/api/v1/openapi.json`],
    false,
  ],
];

/** Resolves with the tool's own word on how it ended. */
function attack(args: readonly string[]): Promise<string> {
  const all = ['-c', String(sockets), '-r', '200', '-l', String(seconds), '-p', '3', ...args];
  return new Promise((resolve, reject) => {
    const child = spawn('slowhttptest', all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', () => resolve(/Exit status:(?:.\[[0-9;]+m)? *([A-Za-z ]+)/.exec(output)?.[1] ?? output));
  });
}

function connectionsNow(): Promise<number> {
  return fetch(`${serve.rootUrl}/metrics`)
    .then((response) => response.text())
    .then((text) => Number(/^toledo_nodejs_active_handles\{type="Socket"\} (\d+)/m.exec(text)?.[1] ?? 0));
}

for (const [title, args, isClosed] of modes) {
  test(`${sockets} clients with ${title} for ${seconds} s: others are answered with a p99 of at most 500 ms`, async (context) => {
    const client = new LeanClient(4);
    const before = await connectionsNow();
    let [running, most] = [true, 0];
    const times: number[] = [];
    const good = async () => {
      while (running) {
        const { status, elapsedMs } = await client.send('GET', `${serve.rootUrl}/api/v1/usage`, { key });
        assert.equal(status, 200);
        times.push(elapsedMs);
        await sleep(20);
      }
    };
    const counting = (async () => {
      while (running) {
        most = Math.max(most, await connectionsNow());
        await sleep(500);
      }
    })();
    const clients = [good(), good(), counting];
    const report = await attack(args);
    running = false;
    await Promise.all(clients);
    client.close();
    const closedAtMs = performance.now();
    while ((await connectionsNow()) > before + 5 && performance.now() - closedAtMs < 40_000) await sleep(500);
    context.diagnostic(
      JSON.stringify({
        goodCalls: times.length,
        p50Ms: Math.round(percentile(times, 0.5)),
        p99Ms: Math.round(percentile(times, 0.99)),
        mostSockets: most,
        left: await connectionsNow(),
        ended: report,
      }),
    );
    assert.ok(times.length > 100 && percentile(times, 0.99) <= 500);
    if (isClosed) assert.equal(report, 'No open connections left');
  });
}
