/** Functions that misbehave in every way a reader of hostile files can. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { unaccountedText } from '../../src/documents/source-faults.ts';
import { badRequest } from '../../src/errors.ts';

export const double = (value: number) => value * 2;
export const echo = (value: unknown) => value;
export const environment = () => Object.keys(process.env);
export const processId = () => process.pid;
export const lengthOf = (path: string) => readFileSync(path).length;

/** A package that is loaded late and is missing. */
export const loadLate = async (name: string) => await import(name);

export function refuse(): never {
  throw badRequest('The file is encrypted.', { field: 'file', reason: 'ENCRYPTED_SOURCE' });
}

export function loseText(): never {
  throw unaccountedText('page 3', 100, 90);
}

export function fail(): never {
  throw new TypeError('undefined is not a chapter');
}

export function failLater(): Promise<never> {
  setImmediate(() => fail());
  return new Promise(() => {});
}

export function fillHeap(): void {
  const kept: unknown[] = [];
  for (;;) kept.push({ list: new Array(1000).fill(kept.length) });
}

export function fillBuffers(): void {
  const kept: Buffer[] = [];
  for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
}

export function holdBoth(sizeMb: { heap: number; buffers: number }): number {
  const heap = Array.from({ length: sizeMb.heap }, () => new Array(131_072).fill(0.5));
  const buffers = Array.from({ length: sizeMb.buffers }, () => Buffer.alloc(1024 * 1024, 1));
  return heap.length + buffers.length;
}

export function loop(): never {
  for (;;);
}

export function overflow(depth: number): number {
  return overflow(depth + 1) + 1;
}

export function exit(code: number): never {
  process.exit(code);
}

export function killItself(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

export const hugeResult = (sizeBytes: number) => Buffer.alloc(sizeBytes, 'x');

export async function wait(timeMs: number): Promise<number> {
  const startedAt = Date.now();
  await new Promise((resolve) => setTimeout(resolve, timeMs));
  return startedAt;
}

export function write(path: string): void {
  writeFileSync(path, 'outside');
}

export function call(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    connect(port, '127.0.0.1')
      .on('connect', () => resolve('connected'))
      .on('error', reject);
  });
}

export interface SumHost {
  add(pair: { a: number; b: number }): Promise<number>;
  never(value: number, signal: AbortSignal): Promise<void>;
}

export async function addAll(values: readonly number[], host: SumHost): Promise<number> {
  const sums = await Promise.all(values.map((value) => host.add({ a: 0, b: value })));
  return await host.add({ a: sums.reduce((sum, value) => sum + value, 0), b: 0 });
}

export async function giveUpWaiting(value: number, host: SumHost): Promise<string> {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  return await host.never(value, controller.signal).then(
    () => 'answered',
    () => 'gave up',
  );
}

export async function waitForHost(value: number, host: SumHost): Promise<void> {
  await Promise.all([host.never(value, new AbortController().signal), host.add({ a: value, b: value })]);
}

export async function loopBesideCall(value: number, host: SumHost): Promise<never> {
  void host.add({ a: value, b: value });
  for (;;);
}

/** When this process was started, and how nice it is to others of its session. */
export function describeProcess(): { startedAt: number; niceness: number; session: string | undefined } {
  return { startedAt: performance.timeOrigin, niceness: getPriority(), session: sessionOfProcess() };
}

/** Linux only. */
export function sessionOfProcess(): string | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  return readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ')[3];
}

/** What Ctrl-C in a terminal does to it. */
export async function interruptItself(timeMs: number): Promise<string> {
  process.kill(process.pid, 'SIGINT');
  await wait(timeMs);
  return 'done';
}
