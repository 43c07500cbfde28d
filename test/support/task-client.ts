/** The partner's side of tasks for tests: create in any content type, wait for the end, fetch files. */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from './api-client.ts';
import { patienceMs } from './patience.ts';
import { bodyOf } from './text-form.ts';

/** A test application, or one process of several. */
interface Service {
  call: Call;
}

export interface SourcePart {
  content: string | Uint8Array<ArrayBuffer>;
  fileName?: string;
  /** The name of the part; `file` unless told. */
  partName?: string;
}

export interface CreateOptions {
  file?: SourcePart;
  as?: 'multipart' | 'json' | 'urlencoded';
  idempotencyKey?: string;
}

export type Fields = Record<string, string | number | object>;

const tasksPath = '/api/v1/tasks';
const firstWaitMs = 50;
const longestWaitMs = 400;

/** Sends a create call; text goes as JSON unless told otherwise or too long for it, a file always as a form. */
export async function create(app: Service, key: string, fields: Fields, options: CreateOptions = {}): Promise<Answer> {
  const headers: Record<string, string> =
    options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey };
  const as = options.file ? 'multipart' : (options.as ?? 'json');
  if (as === 'json') {
    const { type, body } = bodyOf(fields);
    return await app.call('POST', tasksPath, { key, headers: { ...headers, 'content-type': type }, body });
  }
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  if (as === 'urlencoded') return await app.call('POST', tasksPath, { key, headers, body: new URLSearchParams(texts) });
  const form = new FormData();
  for (const [name, value] of texts) form.append(name, value);
  const { file } = options;
  if (file) form.append(file.partName ?? 'file', new Blob([file.content]), file.fileName ?? 'novel.txt');
  return await app.call('POST', tasksPath, { key, headers, body: form });
}

export const poll = (app: Service, key: string, taskId: string): Promise<Answer> =>
  app.call('GET', `${tasksPath}/${taskId}`, { key });

/** Polls until the task has ended and returns its last view. */
export async function untilEnded(
  app: Service,
  key: string,
  taskId: string,
  // biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
): Promise<any> {
  return await until(app, key, taskId, (task) => task.status !== 'pending', longestWaitMs);
}

/** @param mostWaitMs more than usual for a state that lasts: each poll takes processor time from the task it asks for */
export async function until(
  app: Service,
  key: string,
  taskId: string,
  // biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
  reached: (task: any) => boolean,
  mostWaitMs = firstWaitMs,
  // biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
): Promise<any> {
  const deadline = Date.now() + patienceMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(mostWaitMs, waitMs * 1.5)) {
    const { status, body, text } = await poll(app, key, taskId);
    assert.equal(status, 200, text);
    if (reached(body.data)) return body.data;
    assert.ok(Date.now() < deadline, `the task is still ${text}`);
    await sleep(waitMs);
  }
}

/** Creates, asserts 201 and waits for the end. */
// biome-ignore lint/suspicious/noExplicitAny: the contract check has validated it
export async function run(app: Service, key: string, fields: Fields, options: CreateOptions = {}): Promise<any> {
  const created = await create(app, key, fields, options);
  assert.equal(created.status, 201, created.text);
  return await untilEnded(app, key, created.body.data.task_id);
}

export interface Credits {
  balance: number;
  reserved: number;
  used: number;
}

export async function creditsOf(app: Service, key: string): Promise<Credits> {
  const { data } = (await app.call('GET', '/api/v1/usage', { key })).body;
  return { balance: data.balance_credits, reserved: data.reserved_credits, used: data.period_used_credits };
}

/** Asserts one error answer: status, code and, where given, the field and the reason. */
export function assertError(
  answer: Answer,
  status: number,
  code: string,
  details: { field?: string; reason?: string } = {},
  what = '',
): void {
  const where = `${what} ${answer.text}`;
  assert.equal(answer.status, status, where);
  assert.equal(answer.body.error.code, code, where);
  if (details.field !== undefined) assert.equal(answer.body.error.details?.field, details.field, where);
  if (details.reason !== undefined) assert.equal(answer.body.error.details?.reason, details.reason, where);
}
