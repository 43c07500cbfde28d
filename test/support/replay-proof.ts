import { strict as assert } from 'node:assert';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReplayFigures {
  creates: number;
  seconds: number;
  replayed: number;
  /** Answers that asked to come back later, by status; none of them counts as an answer. */
  refused: Record<number, number>;
}

/**
 * Sends every idempotency key many times at once over all the given processes, and proves that the answers of one key
 * are one body, of which exactly one is not marked as a replay.
 */
export async function proveReplays(options: {
  urls: readonly string[];
  key: string;
  keys: number;
  copies: number;
  sockets: number;
}): Promise<ReplayFigures> {
  const { urls, key, keys, copies, sockets } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: Math.ceil(sockets / urls.length) });
  const novel = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(46); // some 3 KB
  const seen = new Map<number, { bodies: Set<string>; originals: number }>();
  const refused: Record<number, number> = {};
  const started = performance.now();
  try {
    const orders = Array.from({ length: keys * copies }, (_, i) => ({
      order: Math.floor(i / copies),
      copy: i,
    })).values();
    const client = async () => {
      for (const { order, copy } of orders) {
        const url = `${urls[copy % urls.length]}/api/v1/tasks`;
        const send = () => post(url, agent, key, `order ${order}`, `${order} ${novel}`);
        let answer = await send();
        // What a partner does when told to come back later: the same request with the same key.
        for (let tries = 0; tries < 10 && answer.retryAfterSeconds > 0; tries++) {
          refused[answer.status ?? 0] = (refused[answer.status ?? 0] ?? 0) + 1;
          await sleep(answer.retryAfterSeconds * 1000);
          answer = await send();
        }
        assert.equal(answer.status, 201, answer.body);
        const entry = seen.get(order) ?? { bodies: new Set(), originals: 0 };
        entry.bodies.add(answer.body);
        if (!answer.replayed) entry.originals += 1;
        seen.set(order, entry);
      }
    };
    await Promise.all(Array.from({ length: sockets }, client));
  } finally {
    agent.destroy();
  }
  assert.equal(seen.size, keys);
  for (const [order, { bodies, originals }] of seen) {
    assert.equal(bodies.size, 1, `order ${order} got ${bodies.size} different answers`);
    assert.equal(originals, 1, `order ${order} was created ${originals} times`);
  }
  return {
    creates: keys * copies,
    seconds: Math.round(performance.now() - started) / 1000,
    replayed: keys * (copies - 1),
    refused,
  };
}

function post(
  url: string,
  agent: Agent,
  key: string,
  idempotencyKey: string,
  content: string,
): Promise<{ status: number | undefined; replayed: boolean; retryAfterSeconds: number; body: string }> {
  const fields = { action: 'translation', target_lang: 'de', estimated_chars: '3100' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="novel.txt"\r\n\r\n${content}\r\n--b--\r\n`;
  const body = Buffer.from(parts.join('') + file);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'idempotency-key': idempotencyKey,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': body.byteLength,
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          replayed: response.headers['idempotent-replayed'] === 'true',
          retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
          body: text,
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
