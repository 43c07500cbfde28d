import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { mutatedForm } from './mutated-form.ts';
import { rawRequest } from './raw-request.ts';
import { countRows, listFiles } from './stored.ts';
import type { TestApp } from './test-app.ts';

/**
 * Sends damaged forms to POST /tasks of the real service: no 5xx, no answer later than 5 s, and afterwards exactly the
 * sources of the tasks that were created, no temporary file, no hold without its task.
 */
export async function proveServiceMutations(
  app: TestApp,
  firstSeed: number,
  count: number,
): Promise<{ statuses: Record<string, number>; slowestMs: number }> {
  const { id, key } = await app.account({ credits: 1_000_000_000 });
  const port = Number(new URL(app.rootUrl).port);
  const figures = { statuses: {} as Record<string, number>, slowestMs: 0 };
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const client = async () => {
    for (const seed of seeds) {
      const form = mutatedForm(seed);
      const head = [
        'POST /api/v1/tasks HTTP/1.1',
        'Host: toledo',
        `Authorization: Bearer ${key}`,
        `Idempotency-Key: seed ${seed}`,
        `Content-Type: multipart/form-data; boundary="${form.boundary}"`,
        `Content-Length: ${Math.max(0, form.body.length + form.lengthLie)}`,
      ];
      const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), form.body]);
      const answer = await rawRequest(port, [bytes], { thenClose: form.lengthLie > 0 });
      const what = `seed ${seed} (${form.steps.join(', ')}; length ${form.lengthLie}): ${answer.status} ${answer.body}`;
      assert.ok(answer.elapsedMs < 5_000, `${what} after ${Math.round(answer.elapsedMs)} ms`);
      assert.ok(answer.status !== undefined || form.lengthLie > 0, `${what}: no answer`);
      if (answer.status !== undefined) assert.ok([201, 400, 413, 415].includes(answer.status), what);
      const status = String(answer.status ?? 'closed');
      figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(answer.elapsedMs));
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  const { rows } = await app.application.database.pool.query(
    'select count(*)::int as n from tasks where account_id = $1',
    [id],
  );
  const tasks = rows[0].n;
  assert.equal(tasks, figures.statuses['201'] ?? 0);
  // An upload whose client has just gone is cleaned up after the socket is: give that a bounded moment.
  for (let tries = 0; tries < 40 && (await listFiles(app)).length !== tasks; tries++) await sleep(50);
  const files = await listFiles(app);
  assert.deepEqual(
    files.filter((path) => !path.startsWith('files/objects/')),
    [],
  );
  assert.equal(files.length, tasks);
  assert.equal((await countRows(app))['public.idempotency_keys'], tasks);
  return figures;
}
