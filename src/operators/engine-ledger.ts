/**
 * What engines are asked for, per task: counted in the process and written together every few seconds, like the last use of
 * keys. A process that is killed loses the last seconds; the charge of a task never depends on it.
 */
import { hostname } from 'node:os';
import type { EngineCatalog } from '../engines/catalog.ts';
import type { EndedCall } from '../engines/routing/engine-gate.ts';
import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import { forgetEngineStates, saveEngineStates } from './engine-state-store.ts';
import { addEngineUsage, type TaskCalls } from './engine-usage-store.ts';

const flushIntervalMs = 3_000;

export class EngineLedger {
  readonly #process = `${hostname()} ${process.pid}`;
  readonly #lastFaults = new Map<string, { text: string; at: Date }>();
  #counted = new Map<string, TaskCalls>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #flush: () => Promise<void> = async () => {};

  record(call: EndedCall): void {
    const { engine, owner, outcome, usage } = call;
    if (call.fault !== undefined) this.#lastFaults.set(engine, { text: call.fault.slice(0, 500), at: new Date() });
    const day = new Date().toISOString().slice(0, 10);
    const key = `${owner.task} ${engine} ${day}`;
    const none = { calls: 0, failedCalls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    const counts = this.#counted.get(key) ?? {
      day,
      accountId: owner.account,
      taskId: owner.task,
      engine,
      ...none,
      faults: {},
    };
    counts.calls += 1;
    if (outcome !== 'ok' && outcome !== 'overtaken') {
      counts.failedCalls += 1;
      counts.faults[outcome] = (counts.faults[outcome] ?? 0) + 1;
    }
    counts.inputTokens += usage?.inputTokens ?? 0;
    counts.cachedInputTokens += usage?.cachedInputTokens ?? 0;
    counts.outputTokens += usage?.outputTokens ?? 0;
    this.#counted.set(key, counts);
  }

  /** From now on what is counted and how the engines are is written down. Returns what ends it. */
  start(db: Db, catalog: Pick<EngineCatalog, 'status'>, log: Log): () => Promise<void> {
    this.#flush = async () => {
      const counted = [...this.#counted.values()];
      this.#counted = new Map();
      try {
        if (counted.length > 0) await addEngineUsage(db, counted);
        const states = catalog.status().map((gate) => ({ ...gate, lastFault: this.#lastFaults.get(gate.name) }));
        await saveEngineStates(db, this.#process, merged(states));
      } catch (err) {
        log.warn({ err, tasks: counted.length }, 'use of engines not saved');
      }
    };
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref();
    void this.flush();
    return async () => {
      clearInterval(this.#timer);
      await this.flush();
      await forgetEngineStates(db, this.#process).catch(() => {});
    };
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#flush());
    return this.#writing;
  }
}

/** The sandbox has a gate per scenario under one name; the first is the one of ordinary work. */
function merged<T extends { name: string }>(states: readonly T[]): T[] {
  return [...new Map([...states].reverse().map((state) => [state.name, state])).values()];
}
