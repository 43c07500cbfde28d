/** A hundred passages that give orders, in ten languages, are translated and not obeyed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orders, passagesOf } from '../support/orders.ts';
import { downloadText, sharedSimulatedEngine } from '../support/simulated-engine-app.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';

/** The simulated model knows an order by a part that every passage of its language has. */
const known = Object.values(orders).map((order) => order.slice(0, 60));

test('S14: a hundred passages that give orders, in ten languages, through the whole API against a model that obeys', async () => {
  const { app, server } = await sharedSimulatedEngine({ orders: known, seed: 3 });
  const translateAll = async (obey: 'never' | 'once') => {
    server.configure({ obey });
    server.log.reset();
    const { key } = await app.account({ credits: 1_000_000 });
    const created = await Promise.all(
      Object.keys(orders).map(async (language) => {
        const text = passagesOf(language).join('\n\n');
        const target = language === 'en' ? 'ru' : 'en';
        const fields = {
          action: 'translation',
          source_lang: language,
          target_lang: target,
          glossary_strategy: 'replace',
        };
        const { body } = await create(app, key, { ...fields, text });
        return body.data.task_id as string;
      }),
    );
    const books = await Promise.all(
      created.map(async (taskId) => {
        const task = await untilEnded(app, key, taskId);
        assert.equal(task.coverage.failed, 0, JSON.stringify(task));
        assert.equal(task.credits_charged, task.char_count);
        return await downloadText(app, key, taskId);
      }),
    );
    assert.equal((await creditsOf(app, key)).reserved, 0);
    return { books, calls: server.log.calls };
  };
  const calm = await translateAll('never');
  const calmCalls = calm.calls.length;
  const tempted = await translateAll('once');
  assert.ok(tempted.calls.length >= calmCalls + 10, 'the model obeyed at first in every language');
  assert.deepEqual(tempted.books, calm.books, 'every passage is translated as it is by a model that never obeys');
  assert.ok(!tempted.books.join().includes('PWNED'));
  assert.ok(
    tempted.calls.every((call) => !call.tools),
    'no tool is ever offered to the model',
  );
});
