/**
 * Random histories of an account equal an in-memory model of it after every command, and a task that five callers end
 * at once is ended once. The API is on one side, the worker's own transactions on the other. Size: histories.
 */

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beginAttempt } from '../../src/books/attempt-store.ts';
import { completeTask, failTask } from '../../src/books/run-task.ts';
import { readBalance } from '../../src/credits/ledger-store.ts';
import { topUpAccount } from '../../src/operators/account-changes.ts';
import type { RunningJob } from '../../src/platform/queue.ts';
import { type Attempt, Fenced } from '../../src/tasks/attempt.ts';
import type { Task } from '../../src/tasks/task.ts';
import { proofRun } from '../support/proof.ts';
import { create } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { size: runs, seed, isLong } = proofRun({ short: 12, long: 300, seed: 20_260_102 });
const races = isLong ? Math.round(runs * 3.3) : 40;
// Without a worker: the histories play the worker's part themselves.
const app = await startTestApp({ role: 'api' });

test(`${runs} random histories of up to 50 commands equal an in-memory model after every command`, async () => {
  await proveModel(app, { runs, maxCommands: isLong ? 50 : 40, seed });
});

test(`${races} tasks, each completed twice, failed twice and cancelled at once: exactly ${races} resolutions`, async (context) => {
  context.diagnostic(JSON.stringify(await proveOneResolution(app, races)));
});

interface ModelTask {
  hold: number;
  status: 'pending' | 'completed' | 'failed' | 'cancelled';
  charged: number;
  finished: number;
  key: string;
  text: string;
}

interface Model {
  granted: number;
  spent: number;
  tasks: ModelTask[];
}

/** The real side: ids and answers in the order of the model's tasks, and what each worker believes to hold. */
interface Real {
  app: TestApp;
  account: { id: string; key: string };
  ids: string[];
  answers: string[];
  held: ({ task: Task; attempt: Attempt } | undefined)[];
  keys: number;
}

const reserved = (model: Model): number =>
  model.tasks.reduce((sum, task) => sum + (task.status === 'pending' ? task.hold : 0), 0);
const available = (model: Model): number => model.granted - model.spent - reserved(model);

abstract class Step implements fc.AsyncCommand<Model, Real> {
  readonly choice: number;
  constructor(choice: number) {
    this.choice = choice;
  }
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await assertSame(model, real);
  }
  abstract act(model: Model, real: Real): Promise<void>;
  toString(): string {
    return `${this.constructor.name}(${this.choice})`;
  }
}

class TopUp extends Step {
  async act(model: Model, { app, account }: Real): Promise<void> {
    const reference = `reference ${this.choice % 40}`;
    const amount = 1 + (this.choice % 40) * 25;
    const { applied } = await topUpAccount(app.application.database.db, 'test', account.id, amount, reference);
    if (applied) model.granted += amount;
  }
}

class Create extends Step {
  async act(model: Model, real: Real): Promise<void> {
    const key = `order ${real.keys++}`;
    const text = 'z'.repeat(1 + (this.choice % 300));
    const answer = await create(real.app, real.account.key, { ...request, text }, { idempotencyKey: key });
    if (text.length > available(model)) {
      assert.equal(answer.status, 402, answer.text);
      return;
    }
    assert.equal(answer.status, 201, answer.text);
    model.tasks.push({ hold: text.length, status: 'pending', charged: 0, finished: 0, key, text });
    real.ids.push(answer.body.data.task_id);
    real.answers.push(answer.text);
    real.held.push(undefined);
  }
}

abstract class OnTask extends Step {
  override check(model: Readonly<Model>): boolean {
    return model.tasks.length > 0;
  }
  async act(model: Model, real: Real): Promise<void> {
    const at = this.choice % model.tasks.length;
    await this.on(model.tasks[at] as ModelTask, at, model, real);
  }
  abstract on(task: ModelTask, at: number, model: Model, real: Real): Promise<void>;
}

class Replay extends OnTask {
  async on(task: ModelTask, at: number, _model: Model, { app, account, answers }: Real): Promise<void> {
    const answer = await create(app, account.key, { ...request, text: task.text }, { idempotencyKey: task.key });
    assert.equal(answer.text, answers[at]);
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
  }
}

class Conflict extends OnTask {
  async on(task: ModelTask, _at: number, _model: Model, { app, account }: Real): Promise<void> {
    const answer = await create(app, account.key, { ...request, text: `${task.text}y` }, { idempotencyKey: task.key });
    assert.equal(answer.status, 409, answer.text);
  }
}

/** A worker takes the task, also when another one has it: that one was killed, and finds itself fenced if it was not. */
class Take extends OnTask {
  async on(task: ModelTask, at: number, _model: Model, { app, ids, held }: Real): Promise<void> {
    const before = held[at];
    const begun = await beginAttempt(app.application.database.db, ids[at] as string);
    assert.equal(begun !== undefined, task.status === 'pending');
    if (!begun) return;
    held[at] = { task: begun.task, attempt: { taskId: begun.task.id, number: begun.task.attempt } };
    if (before) await assert.rejects(finish(app, before, 1), Fenced);
  }
}

class FinishSegment extends OnTask {
  async on(task: ModelTask, at: number, _model: Model, { app, ids }: Real): Promise<void> {
    if (task.status !== 'pending') return;
    const characters = Math.min(1 + (this.choice % 50), task.hold - task.finished);
    if (characters < 1) return;
    await sql`
      insert into checkpoints (task_id, account_id, kind, key, characters, record)
      select id, account_id, 'segment', gen_random_uuid()::text, ${characters}, '{}' from tasks where id = ${ids[at]}`.execute(
      app.application.database.db,
    );
    task.finished += characters;
  }
}

class Complete extends OnTask {
  async on(task: ModelTask, at: number, model: Model, { app, held }: Real): Promise<void> {
    const worker = held[at];
    if (!worker) return;
    const delivered = this.choice % (task.hold + 20); // a worker that claims too much is charged the hold at most
    if (task.status !== 'pending') return await assert.rejects(finish(app, worker, delivered), Fenced);
    await finish(app, worker, delivered);
    end(model, task, 'completed', Math.min(delivered, task.hold));
  }
}

class Fail extends OnTask {
  async on(task: ModelTask, at: number, model: Model, { app, held }: Real): Promise<void> {
    const worker = held[at];
    if (!worker) return;
    const fault = { code: 'TIMED_OUT', message: 'too late', retryable: true };
    const { db } = app.application.database;
    const failing = failTask(
      { db, queue: app.application.queue, metrics: app.application.metrics },
      idleJob,
      worker.task,
      worker.attempt,
      fault,
    );
    if (task.status !== 'pending') return await assert.rejects(failing, Fenced);
    await failing;
    end(model, task, 'failed', 0);
  }
}

class Cancel extends OnTask {
  async on(task: ModelTask, at: number, model: Model, { app, account, ids }: Real): Promise<void> {
    const answer = await app.call('POST', `/api/v1/tasks/${ids[at]}/cancel`, { key: account.key });
    assert.equal(answer.status, task.status === 'pending' ? 200 : 409, answer.text);
    if (task.status === 'pending') end(model, task, 'cancelled', task.finished);
  }
}

class Delete extends OnTask {
  async on(task: ModelTask, at: number, model: Model, { app, account, ids }: Real): Promise<void> {
    const answer = await app.call('DELETE', `/api/v1/tasks/${ids[at]}`, { key: account.key });
    assert.equal(answer.status, 200, answer.text);
    if (task.status === 'pending') end(model, task, 'cancelled', task.finished);
  }
}

const request = { action: 'translation', target_lang: 'de' };

function end(model: Model, task: ModelTask, status: ModelTask['status'], charged: number): void {
  task.status = status;
  task.charged = charged;
  model.spent += charged;
}

const idleJob: Pick<RunningJob, 'complete'> = { complete: async () => {} };

function finish(app: TestApp, worker: { task: Task; attempt: Attempt }, delivered: number): Promise<void> {
  const { database, queue, metrics } = app.application;
  const outcome = { deliveredCharacters: delivered, result: {}, detectedLang: undefined, outputs: [translated] };
  return completeTask({ db: database.db, queue, metrics }, idleJob, worker.task, worker.attempt, outcome);
}

async function assertSame(model: Model, { app, account, ids }: Real): Promise<void> {
  const { db } = app.application.database;
  assert.deepEqual(await readBalance(db, account.id), {
    grantedCredits: model.granted,
    availableCredits: available(model),
    reservedCredits: reserved(model),
    spentCredits: model.spent,
  });
  const { rows } = await sql<{ id: string; status: string; credits_charged: number | null }>`
    select id, status, credits_charged from tasks where account_id = ${account.id}`.execute(db);
  const shown = new Map(rows.map((row) => [row.id, row]));
  assert.equal(shown.size, model.tasks.length);
  for (const [at, task] of model.tasks.entries()) {
    const row = shown.get(ids[at] as string);
    assert.equal(row?.status, task.status);
    assert.equal(row?.credits_charged, task.status === 'pending' ? null : task.charged);
  }
}

async function proveModel(app: TestApp, options: { runs: number; maxCommands: number; seed: number }): Promise<void> {
  const kinds = [
    TopUp,
    Create,
    Create,
    Create,
    Replay,
    Conflict,
    Take,
    Take,
    FinishSegment,
    Complete,
    Fail,
    Cancel,
    Delete,
  ];
  const commands = fc.commands(
    kinds.map((Kind) => fc.nat().map((choice) => new Kind(choice))),
    { maxCommands: options.maxCommands, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const account = await app.account({ credits: 500 });
      const setup = () => ({
        model: { granted: 500, spent: 0, tasks: [] } as Model,
        real: { app, account, ids: [], answers: [], held: [], keys: 0 } as Real,
      });
      await fc.asyncModelRun(setup, steps);
    }),
    { numRuns: options.runs, seed: options.seed, endOnFailure: true },
  );
}

const hold = 40;
const translated = {
  fileId: 'translated', fileName: 'x', mediaType: 'text/plain', storageKey: 'x', sizeBytes: 1, sha256: '',
}; // biome-ignore format: one row

/** Two completions, two failures and a cancellation of every task, all at once: exactly one of the five may happen. */
async function proveOneResolution(app: TestApp, tasks: number): Promise<Record<string, number>> {
  const { id, key } = await app.account({ credits: tasks * hold });
  const { database, queue, metrics } = app.application;
  const deps = { db: database.db, queue, metrics };
  const outcomes: Record<string, number> = { completed: 0, failed: 0, cancelled: 0 };
  const orders = Array.from({ length: tasks }, (_, i) => i).values();
  const client = async () => {
    for (const order of orders) {
      const created = await create(app, key, {
        action: 'translation',
        target_lang: 'de',
        text: 'x'.repeat(hold),
      });
      const taskId = created.body.data.task_id;
      const begun = await beginAttempt(database.db, taskId);
      assert.ok(begun);
      const attempt = { taskId, number: begun.task.attempt };
      const job = { taskId, signal: new AbortController().signal, complete: async () => {} };
      const outcome = { deliveredCharacters: hold, result: {}, detectedLang: undefined, outputs: [translated] };
      const fault = { code: 'INTERNAL', message: '', retryable: true };
      const won = async (name: string, work: Promise<unknown>) => {
        try {
          await work;
          return [name];
        } catch (error) {
          if (!(error instanceof Fenced)) throw error;
          return [];
        }
      };
      const cancelled = async () => {
        const { status } = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
        assert.ok(status === 200 || status === 409, `${status}`);
        return status === 200 ? ['cancelled'] : [];
      };
      const complete = () => won('completed', completeTask(deps, job, begun.task, attempt, outcome));
      const fail = () => won('failed', failTask(deps, job, begun.task, attempt, fault));
      const racers = [complete, fail, cancelled, fail, complete];
      const offset = order % racers.length;
      const turns = [...racers.slice(offset), ...racers.slice(0, offset)];
      const winners = (await Promise.all(turns.map((racer) => racer()))).flat();
      assert.equal(winners.length, 1, `${taskId}: ${winners.join()}`);
      const winner = winners[0] as string;
      outcomes[winner] = (outcomes[winner] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  const { rows } = await database.pool.query(
    `select count(*)::int as holds, sum(charged)::int as charged from credit_holds where account_id = $1 and ended_at is not null`,
    [id],
  );
  assert.deepEqual(rows[0], { holds: tasks, charged: (outcomes.completed ?? 0) * hold });
  return outcomes;
}
