/** What the rate limit promises, measured from outside over several processes on one database. */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { type LeanAnswer, LeanClient, percentile } from './lean-client.ts';

const path = '/api/v1/usage';

/** All at once over every process: exactly the limit passes, and one more for each second that went by. */
export async function proveBurst(urls: readonly string[], key: string, calls: number, limit: number): Promise<object> {
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
export async function proveSteady(urls: readonly string[], key: string, limit: number, calls: number): Promise<object> {
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
export async function proveRetryAfter(url: string, keys: readonly string[], limit: number): Promise<object> {
  const client = new LeanClient(keys.length);
  const ask = (key: string) => client.send('GET', url + path, { key });
  let [obeyed, early] = [0, 0];
  try {
    await Promise.all(
      keys.map(async (key) => {
        let refused = await ask(key);
        for (let i = 0; refused.status === 200 && i < 3 * limit; i++) refused = await ask(key);
        assertRefusal(refused);
        const waitMs = Number(refused.headers['retry-after']) * 1000;
        // The header counts whole seconds from the answer; 50 ms are the machine's own.
        if (waitMs > 1000) {
          await sleep(waitMs - 1000 - refused.elapsedMs - 50);
          assert.equal((await ask(key)).status, 429, 'a second earlier is too early');
          early += 1;
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
export async function proveGuessing(url: string, key: string, guesses: number): Promise<object> {
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
