/**
 * The rate limit over three processes on one database: exact under a burst, never in the way of a steady pace, and
 * right about when to come back. Size: rounds of 50 refusals.
 */

import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { type LeanAnswer, LeanClient, percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

const { size: rounds, isLong } = proofRun({ short: 1, long: 10 });
const steadyCalls = isLong ? 120 : 5;
const guesses = rounds * 1_000;
const app = await startTestApp({ role: 'api' });
const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl, TOLEDO_PORT: '0' };
const processes = await Promise.all(Array.from({ length: 3 }, () => startServe(env, ['--role', 'api'])));
after(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
});
const urls = processes.map(({ rootUrl }) => rootUrl);

test(`limit 60, 200 calls at once over three processes: exactly 60 pass, plus one per elapsed second; ${rounds} times`, async (context) => {
  for (let round = 0; round < rounds; round++) {
    const { key } = await app.account({ rateLimitPerMinute: 60 });
    context.diagnostic(JSON.stringify(await proveBurst(urls, key, 200, 60)));
  }
});

test(`a call every second for ${steadyCalls} s against a limit of 60: none is refused`, async (context) => {
  const { key } = await app.account({ rateLimitPerMinute: 60 });
  context.diagnostic(JSON.stringify(await proveSteady(urls, key, 60, steadyCalls)));
});

test(`${rounds * 50} refusals: waiting exactly as long as told succeeds, a second less never does`, async (context) => {
  const limit = 20;
  const figures: object[] = [];
  for (let round = 0; round < rounds; round++) {
    const keys: string[] = [];
    while (keys.length < 50) keys.push((await app.account({ rateLimitPerMinute: limit })).key);
    figures.push(await proveRetryAfter(urls[round % 3] as string, keys, limit));
  }
  context.diagnostic(JSON.stringify(figures));
});

test(`${guesses} guessed keys from one address are answered 429, and good keys from there are not affected`, async (context) => {
  const { key } = await app.account({ rateLimitPerMinute: 100_000 });
  context.diagnostic(JSON.stringify(await proveGuessing(urls[0] as string, key, guesses)));
});

const path = '/api/v1/usage';

/** All at once over every process: exactly the limit passes, and one more for each second that went by. */
async function proveBurst(urls: readonly string[], key: string, calls: number, limit: number): Promise<object> {
  const client = new LeanClient(calls);
  try {
    const started = performance.now();
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, i) => client.send('GET', urls[i % urls.length] + path, { key })),
    );
    const seconds = (performance.now() - started) / 1000;
    const allowed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(allowed >= limit && allowed <= limit + Math.floor((seconds * limit) / 60), `${allowed} in ${seconds} s`);
    for (const answer of refused) assertRefusal(answer);
    return { calls, allowed, seconds: Math.round(seconds * 1000) / 1000 };
  } finally {
    client.close();
  }
}

/** One call every `60 / limit` seconds, in turn over the processes: never refused. */
async function proveSteady(urls: readonly string[], key: string, limit: number, calls: number): Promise<object> {
  const client = new LeanClient(4);
  const started = performance.now();
  const statuses: Record<number, number> = {};
  try {
    for (let i = 0; i < calls; i++) {
      // By the clock of the start, not from call to call: a late call must not make all later ones late.
      await sleep(Math.max(0, started + (i * 60_000) / limit - performance.now()));
      const { status } = await client.send('GET', urls[i % urls.length] + path, { key });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  } finally {
    client.close();
  }
  assert.deepEqual(statuses, { 200: calls });
  return { calls, refused: 0, seconds: Math.round((performance.now() - started) / 1000) };
}

/** Each refusal is obeyed to the second: coming back then succeeds, a second earlier never does. */
async function proveRetryAfter(url: string, keys: readonly string[], limit: number): Promise<object> {
  const client = new LeanClient(keys.length);
  const ask = (key: string) => client.send('GET', url + path, { key });
  let [obeyed, early] = [0, 0];
  try {
    await Promise.all(
      keys.map(async (key) => {
        let sentMs = performance.now();
        let refused = await ask(key);
        for (let i = 0; refused.status === 200 && i < 3 * limit; i++) {
          sentMs = performance.now();
          refused = await ask(key);
        }
        assertRefusal(refused);
        const waitMs = Number(refused.headers['retry-after']) * 1000;
        // The header counts whole seconds from the answer; 50 ms are the machine's own.
        if (waitMs > 1000) {
          await sleep(waitMs - 1000 - refused.elapsedMs - 50);
          const { status } = await ask(key);
          // On a busy machine this call may itself come too late to be early.
          if (performance.now() - sentMs < waitMs - 1000) {
            assert.equal(status, 429, 'a second earlier is too early');
            early += 1;
          }
          await sleep(1000 + refused.elapsedMs + 50);
        } else await sleep(waitMs);
        if ((await ask(key)).status === 200) obeyed += 1;
      }),
    );
  } finally {
    client.close();
  }
  assert.ok(obeyed >= keys.length * 0.995, `${obeyed} of ${keys.length} waits were enough`);
  return { refusals: keys.length, obeyed, triedEarly: early };
}

/** Guessing keys is answered 429 by address, and good keys from the same address do not feel it. */
async function proveGuessing(url: string, key: string, guesses: number): Promise<object> {
  const client = new LeanClient(16);
  const good = async (calls: number) => {
    const times: number[] = [];
    for (let i = 0; i < calls; i++) {
      const { status, elapsedMs } = await client.send('GET', url + path, { key });
      assert.equal(status, 200);
      times.push(elapsedMs);
    }
    return Math.round(percentile(times, 0.99) * 10) / 10;
  };
  try {
    const alone = await good(300);
    const statuses: Record<number, number> = {};
    const orders = Array.from({ length: guesses }, (_, i) => i).values();
    const guesser = async () => {
      for (const _ of orders) {
        const answer = await client.send('GET', url + path, { key: generateApiKey('live') });
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (answer.status === 429) assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      }
    };
    const guessing = Promise.all(Array.from({ length: 4 }, guesser));
    const meanwhile = await good(300);
    await guessing;
    assert.deepEqual(Object.keys(statuses), ['401', '429']);
    return { guesses, statuses, goodP99Ms: { alone, meanwhile } };
  } finally {
    client.close();
  }
}

function assertRefusal({ status, headers, text }: LeanAnswer): void {
  assert.equal(status, 429, text);
  assert.equal(JSON.parse(text).error.code, 'RATE_LIMITED');
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
  assert.equal(headers.ratelimit, `"default";r=0;t=${headers['retry-after']}`);
}
