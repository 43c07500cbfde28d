/**
 * Upload forms that are damaged in many ways: no 5xx, no late answer, no part dropped and nothing left behind, from the
 * upload reader alone and from the whole service. Size: forms.
 */

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout, setTimeout as sleep } from 'node:timers/promises';
import { proofRun } from '../support/proof.ts';
import { post, type RawAnswer, rawRequest } from '../support/raw-request.ts';
import { countRows, listFiles } from '../support/stored.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startUploadServer, type UploadAnswer } from '../support/upload-server.ts';
import { type MutatedForm, mutatedForm } from './damaged-forms/mutated-form.ts';

const { size: count, seed, isLong } = proofRun({ short: 300, long: 2_000 });
/** A short run stands beside other tests: there it shows that nothing hangs. */
const latestMs = isLong ? 5_000 : 20_000;

test(`${count} damaged forms to the upload reader: no 5xx, no late answer, no part dropped, no file left`, async (context) => {
  context.diagnostic(JSON.stringify(await proveMutations(seed, count)));
});

test(`${count} damaged forms to the whole service: no 5xx, no late answer, no file left but those of tasks`, async (context) => {
  const app = await startTestApp({ role: 'api' });
  context.diagnostic(JSON.stringify(await proveServiceMutations(app, seed + count, count)));
});

interface MutationFigures {
  statuses: Record<string, number>;
  slowestMs: number;
}

/** Sends `count` damaged forms over real sockets and proves that each gets an answer, soon, and leaves nothing. */
async function proveMutations(firstSeed: number, count: number): Promise<MutationFigures> {
  const server = await startUploadServer();
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  const figures: MutationFigures = { statuses: {}, slowestMs: 0 };
  try {
    const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
    const worker = async () => {
      for (const seed of seeds) record(figures, await sendOne(server.port, seed));
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    assert.deepEqual(uncaught, []);
    assert.deepEqual(server.unexpected, []);
    // An upload whose client has just gone is cleaned up after the socket is: give that a bounded moment.
    for (let tries = 0; tries < 20 && server.temporaryFiles().length > 0; tries += 1) await setTimeout(50);
    assert.deepEqual(server.temporaryFiles(), []);
    for (let tries = 0; tries < 20 && (await server.storedObjects()).length > 0; tries += 1) await setTimeout(50);
    assert.deepEqual(await server.storedObjects(), []);
    return figures;
  } finally {
    process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
    await server.close();
  }
}

async function sendOne(port: number, seed: number): Promise<RawAnswer> {
  const form = mutatedForm(seed);
  const headers = {
    'Content-Type': `multipart/form-data; boundary="${form.boundary}"`,
    'Content-Length': Math.max(0, form.body.length + form.lengthLie),
  };
  const answer = await rawRequest(port, [post(headers, form.body)], { thenClose: form.lengthLie > 0 });
  const what = `seed ${seed} (${form.steps.join(', ')}; length ${form.lengthLie}): ${answer.status} ${answer.body}`;
  assert.ok(answer.elapsedMs < latestMs, `${what} after ${Math.round(answer.elapsedMs)} ms`);
  assert.ok(answer.status !== undefined || form.lengthLie > 0, `${what}: no answer`);
  if (answer.status !== undefined) assert.ok([201, 400, 413, 415].includes(answer.status), what);
  if (answer.status === 201 && form.lengthLie === 0) assert.equal(partsAnswered(answer), partsSent(form), what);
  return answer;
}

/** An oracle of its own: a form that is accepted has as many parts as it has boundaries, less one. */
function partsSent({ body, boundary }: MutatedForm): number {
  return (
    Buffer.from(body)
      .toString('latin1')
      .split(new RegExp(`(?:^|\r\n)--${boundary}(?=--|[ \t]*\r\n)`)).length - 2
  );
}

function partsAnswered(answer: RawAnswer): number {
  const { fields, file }: UploadAnswer = JSON.parse(answer.body);
  return Object.keys(fields ?? {}).length + (file ? 1 : 0);
}

function record(figures: MutationFigures, answer: RawAnswer): void {
  const status = String(answer.status ?? 'closed');
  figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
  figures.slowestMs = Math.max(figures.slowestMs, Math.round(answer.elapsedMs));
}

/**
 * Sends damaged forms to POST /tasks of the real service: no 5xx, no answer later than 5 s, and afterwards exactly the
 * sources of the tasks that were created, no temporary file, no hold without its task.
 */
async function proveServiceMutations(
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
      assert.ok(answer.elapsedMs < latestMs, `${what} after ${Math.round(answer.elapsedMs)} ms`);
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
