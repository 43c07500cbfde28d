import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { type MutatedForm, mutatedForm } from './mutated-form.ts';
import { post, type RawAnswer, rawRequest } from './raw-request.ts';
import { startUploadServer, type UploadAnswer } from './upload-server.ts';

export interface MutationFigures {
  statuses: Record<string, number>;
  slowestMs: number;
}

/** Sends `count` damaged forms over real sockets and proves that each gets an answer, soon, and leaves nothing. */
export async function proveMutations(firstSeed: number, count: number): Promise<MutationFigures> {
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
  assert.ok(answer.elapsedMs < 5_000, `${what} after ${Math.round(answer.elapsedMs)} ms`);
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
