/** A partner who queues many novels does not slow another partner down by more than half. Size: queued novels. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { create, run } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { openWorkshop } from '../support/workers.ts';

const { size: novels, isLong } = proofRun({ short: 6, long: 50 });
const bookCharacters = isLong ? 30_000 : 6_000;
/** A short run shares the machine with other tests. */
const allowedTimes = isLong ? 2 : 4;
const { app, startWorker } = await openWorkshop();

test(`while one account has queued ${novels} novels, another account finishes a short task and a book before them, in at most ${allowedTimes} times its own time`, async (context) => {
  await startWorker();
  const greedy = await app.account({ credits: 100_000_000 });
  const late = await app.account({ credits: 10_000_000 });
  // Every engine call takes 3 s, as real ones do: what is measured is the order of the work, not the processor.
  const timed = async (characters: number, seed: number) => {
    const started = performance.now();
    const task = await run(app, late.key, {
      action: 'translation',
      target_lang: 'de-x-slow',
      text: story(characters, seed),
    });
    assert.equal(task.status, 'completed');
    return performance.now() - started;
  };
  const alone = { short: await timed(3_000, 1), book: await timed(bookCharacters, 2) };
  await Promise.all(
    Array.from({ length: novels }, (_, i) =>
      create(app, greedy.key, { action: 'translation', target_lang: 'de-x-slow', text: story(200_000, 100 + i) }),
    ),
  );
  const beside = { short: await timed(3_000, 3), book: await timed(bookCharacters, 4) };
  const { rows } = await app.application.database.pool.query(
    `select count(*)::int as n from tasks where account_id = $1 and status = 'pending'`,
    [greedy.id],
  );
  context.diagnostic(
    `short ${Math.round(alone.short)} → ${Math.round(beside.short)} ms, book ${Math.round(alone.book)} → ${Math.round(beside.book)} ms, ${rows[0].n} novels still pending`,
  );
  assert.ok(rows[0].n > 0, 'the novels must still be in the way');
  assert.ok(beside.short <= allowedTimes * alone.short && beside.book <= allowedTimes * alone.book);
});
