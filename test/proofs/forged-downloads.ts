/** Signed download URLs, changed in every part and way, open nothing. Size: changed URLs. */

import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const { size: count, seed } = proofRun({ short: 500, long: 5_000 });

test(`${count} changed download URLs: not one is accepted`, async (context) => {
  const app = await startTestApp();
  const { key } = await app.account({ credits: 1_000 });
  const link = async (target_lang: string) => {
    const task = await run(app, key, { action: 'translation', target_lang, text: 'The lamp on the quay was out.' });
    return (await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key })).body.data.download_url as string;
  };
  const urls: [string, string] = [await link('de'), await link('fr')];
  context.diagnostic(JSON.stringify(await proveForgeriesFail({ urls, count, seed })));
});

/** Changes signed download URLs in every part and way, and proves that none of them opens anything. */
async function proveForgeriesFail(options: {
  urls: [string, string];
  count: number;
  seed: number;
}): Promise<Record<string, number>> {
  const { urls, count, seed } = options;
  for (const url of urls) assert.equal((await fetch(url)).status, 200, 'the URLs themselves must be good');
  const statuses: Record<string, number> = {};
  const forgeries = Array.from({ length: count }, (_, i) => forge(urls, seed * 1_000_000 + i)).values();
  const client = async () => {
    for (const { url, method, what } of forgeries) {
      const response = await fetch(url, { method });
      await response.arrayBuffer();
      assert.ok(response.status >= 400 && response.status < 500, `${what}: ${response.status} for ${method} ${url}`);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return statuses;
}

interface Forgery {
  url: string;
  method: string;
  what: string;
}

function forge([first, second]: [string, string], seed: number): Forgery {
  let state = createHash('sha256').update(`forgery ${seed}`).digest();
  const random = (below: number): number => {
    state = createHash('sha256').update(state).digest();
    return state.readUInt32LE() % below;
  };
  const url = new URL(first);
  const other = new URL(second);
  const names = ['file_id', 'key', 'expires', 'signature'];
  const name = names[random(names.length)] as string;
  const value = url.searchParams.get(name) ?? '';
  const at = random(value.length);
  const set = (changed: string) => url.searchParams.set(name, changed);
  const mutations: [what: string, mutate: () => void][] = [
    ['one character', () => set(value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1))],
    ['one character less', () => set(value.slice(0, at) + value.slice(at + 1))],
    ['one character more', () => set(`${value.slice(0, at)}0${value.slice(at)}`)],
    ['empty', () => set('')],
    ['missing', () => url.searchParams.delete(name)],
    ['twice', () => url.searchParams.append(name, value)],
    [
      'twice, another first',
      () => {
        url.search = `?${name}=x&${url.search.slice(1)}`;
      },
    ],
    ['a parameter more', () => url.searchParams.append(`extra${random(9)}`, 'x')],
    [
      'another task',
      () => {
        url.pathname = other.pathname;
      },
    ],
    ["another task's signature", () => url.searchParams.set('signature', other.searchParams.get('signature') ?? '')],
    ['another file', () => url.searchParams.set('file_id', ['report', 'glossary', 'bilingual'][random(3)] as string)],
    [
      'longer life',
      () => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1 + random(1e6))),
    ],
    ['leading zero', () => url.searchParams.set('expires', `0${url.searchParams.get('expires')}`)],
    [
      'another base of numbers',
      () => url.searchParams.set('expires', `0x${Number(url.searchParams.get('expires')).toString(16)}`),
    ],
    ['padded signature', () => url.searchParams.set('signature', `${url.searchParams.get('signature')}=`)],
    [
      'other case',
      () =>
        set(
          value === value.toUpperCase()
            ? value.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
            : value.toUpperCase(),
        ),
    ],
    [
      'parameter in upper case',
      () => {
        url.search = url.search.replace(`${name}=`, `${name.toUpperCase()}=`);
      },
    ],
    ['a NUL at the end', () => set(`${value}\0`)],
    ['a line break at the end', () => set(`${value}\n`)],
    ['a space before', () => set(` ${value}`)],
  ];
  const [what, mutate] = mutations[random(mutations.length)] as (typeof mutations)[number];
  mutate();
  const method = random(5) === 0 ? 'HEAD' : random(20) === 0 ? 'POST' : 'GET';
  return { url: url.href, method, what: `${what} of ${name}` };
}
