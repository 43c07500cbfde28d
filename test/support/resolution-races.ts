import { strict as assert } from 'node:assert';
import { beginAttempt, Fenced } from '../../src/tasks/run/attempt-store.ts';
import { completeTask, failTask } from '../../src/tasks/run/run-task.ts';
import { create } from './task-client.ts';
import type { TestApp } from './test-app.ts';

const hold = 40;
const translated = {
  fileId: 'translated', fileName: 'x', mediaType: 'text/plain', storageKey: 'x', sizeBytes: 1, sha256: '',
}; // biome-ignore format: one row

/** Two completions, two failures and a cancellation of every task, all at once: exactly one of the five may happen. */
export async function proveOneResolution(app: TestApp, tasks: number): Promise<Record<string, number>> {
  const { id, key } = await app.account({ credits: tasks * hold });
  const { database, metrics } = app.application;
  const deps = { db: database.db, metrics };
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
