/**
 * What engines are asked for, per task: counted in the process and written together every few seconds. A process that is killed
 * loses the last seconds; the charge of a task never depends on it.
 */
import { hostname } from 'node:os';
import type { EngineCatalog } from '../engines/catalog.ts';
import type { EndedCall } from '../engines/routing/engine-gate.ts';
import { SharedLimits } from '../engines/shared-limits.ts';
import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import { reserveSpending } from './engine-spending-store.ts';
import { forgetEngineStates, saveEngineStates } from './engine-state-store.ts';
import { addEngineUsage, countFields, type TaskCalls } from './engine-usage-store.ts';

const flushIntervalMs = 3_000;

export class EngineLedger {
  readonly #process = `${hostname()} ${process.pid}`;
  readonly #lastFaults = new Map<string, { text: string; at: Date }>();
  #counted = new Map<string, TaskCalls>();

  record(call: EndedCall): void {
    const { engine, fault } = call;
    if (fault !== undefined) this.#lastFaults.set(engine, { text: fault.slice(0, 500), at: new Date() });
    this.#count(countsOf(call));
  }

  /** From now on what is counted and how the engines are is written down. Returns what ends it. */
  async start(
    db: Db,
    catalog: Pick<EngineCatalog, 'status' | 'learned' | 'budgets'>,
    log: Log,
  ): Promise<() => Promise<void>> {
    const limits = new SharedLimits([...catalog.learned().values()]);
    const budgets = catalog.budgets();
    for (const [engine, budget] of budgets) budget.share((order) => reserveSpending(db, { engine, ...order }));
    const write = async () => {
      const counted = [...this.#counted.values()];
      this.#counted = new Map();
      try {
        if (counted.length > 0) await addEngineUsage(db, counted);
      } catch (err) {
        this.#putBack(counted);
        log.warn({ err, tasks: counted.length }, 'use of engines not saved');
        return;
      }
      try {
        // Before the states: they tell whether a budget is used up.
        for (const budget of budgets.values()) await budget.renew();
        const states = catalog.status().map((gate) => ({ ...gate, lastFault: this.#lastFaults.get(gate.name) }));
        await saveEngineStates(db, this.#process, merged(states));
        await limits.share(db);
      } catch (err) {
        log.warn({ err }, 'state of engines not saved');
      }
    };
    let writing = Promise.resolve();
    const flush = () => {
      writing = writing.then(write);
      return writing;
    };
    const timer = setInterval(() => void flush(), flushIntervalMs).unref();
    // Before the first call: what was learned by others is known then.
    await flush();
    return async () => {
      clearInterval(timer);
      await flush();
      for (const budget of budgets.values()) await budget.release().catch(() => {});
      await forgetEngineStates(db, this.#process).catch(() => {});
    };
  }

  /** They are written with the next ones, unless too many wait already. */
  #putBack(counted: readonly TaskCalls[]): void {
    if (this.#counted.size > mostKept) return;
    for (const each of counted) this.#count(each);
  }

  #count(counts: TaskCalls): void {
    const key = `${counts.taskId} ${counts.engine} ${counts.day}`;
    const known = this.#counted.get(key);
    this.#counted.set(key, known === undefined ? counts : added(known, counts));
  }
}

/** Tasks whose counts wait for a database that is away. */
const mostKept = 10_000;

/** What one call adds. */
function countsOf({ engine, owner, outcome, usage, cost }: EndedCall): TaskCalls {
  const isFault = outcome !== 'ok' && outcome !== 'overtaken' && outcome !== 'cancelled';
  const estimated = usage?.isEstimated === true ? usage : undefined;
  const reported = estimated === undefined ? usage : undefined;
  return {
    day: new Date().toISOString().slice(0, 10),
    accountId: owner.account,
    taskId: owner.task,
    engine,
    calls: 1,
    failedCalls: isFault ? 1 : 0,
    inputTokens: reported?.inputTokens ?? 0,
    cachedInputTokens: reported?.cachedInputTokens ?? 0,
    cacheWriteTokens: reported?.cacheWriteTokens ?? 0,
    outputTokens: reported?.outputTokens ?? 0,
    unreportedCalls: estimated === undefined ? 0 : 1,
    estimatedInputTokens: estimated?.inputTokens ?? 0,
    estimatedOutputTokens: estimated?.outputTokens ?? 0,
    cost: reported && cost,
    estimatedCost: estimated && cost,
    faults: isFault ? { [outcome]: 1 } : {},
  };
}

function added(one: TaskCalls, other: TaskCalls): TaskCalls {
  const total = { ...one, faults: { ...one.faults } };
  for (const [kind, calls] of Object.entries(other.faults)) total.faults[kind] = (total.faults[kind] ?? 0) + calls;
  for (const field of countFields) total[field] += other[field];
  return { ...total, cost: sum(one.cost, other.cost), estimatedCost: sum(one.estimatedCost, other.estimatedCost) };
}

function sum(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  return one === undefined ? other : one + (other ?? 0n);
}

/** The sandbox has a gate per scenario under one name; the first is the one of ordinary work. */
function merged<T extends { name: string }>(states: readonly T[]): T[] {
  return [...new Map([...states].reverse().map((state) => [state.name, state])).values()];
}
