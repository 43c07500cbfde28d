/** What an upload of 20 MB takes of memory, alone and eight at once. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';

const isLinux = process.platform === 'linux';

test('an upload of 20 MB takes less than 60 MB above idle, and eight at once less than 120 MB', async (context) => {
  if (!isLinux) return context.diagnostic('the peak of a process is read from /proc');
  const child = fork(new URL('./upload-memory/server-main.ts', import.meta.url));
  const ask = async () => {
    child.send('memory');
    const [answer] = (await once(child, 'message')) as [{ residentBytes: number; peakBytes: number }];
    return answer;
  };
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const content = new Blob([randomBytes(20_000_000)]);
  const upload = async () => {
    const data = new FormData();
    data.append('file', content, 'novel.txt');
    const response = await fetch(url, { method: 'POST', body: data });
    assert.equal(response.status, 201);
    await response.arrayBuffer();
  };
  const idle = (await ask()).residentBytes;
  await upload();
  const one = (await ask()).peakBytes - idle;
  await Promise.all(Array.from({ length: 8 }, upload));
  const eight = (await ask()).peakBytes - idle;
  child.send('close');
  await once(child, 'exit');
  const figures = `one ${Math.round(one / 1e6)} MB, eight at once ${Math.round(eight / 1e6)} MB above idle`;
  context.diagnostic(figures);
  assert.ok(one < 60e6 && eight < 120e6, figures);
});
