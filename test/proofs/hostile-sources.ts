/**
 * Files that loop for ever, overflow the stack or fill the memory of their reader harm only themselves. Size: seconds
 * of each measurement.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { create } from '../support/task-client.ts';
import { story } from '../support/texts.ts';

const { size: seconds, isLong } = proofRun({ short: 1, long: 40 });

/** Real files, not tricks of the test: each is within the limits of an upload. */
const hostile: Record<string, () => { content: string; fileName: string }> = {
  'endless loop': () => ({ content: '[a]('.repeat(50_000), fileName: 'links.md' }),
  'endless loop of another kind': () => ({ content: '> '.repeat(50_000), fileName: 'quotes.md' }),
  'stack overflow': () => ({ content: `<html><body>${'<b><i>'.repeat(100_000)}`, fileName: 'nested.html' }),
  'out of memory': () => ({ content: `<html><body>${'<b></b>'.repeat(7_000_000)}`, fileName: 'large.html' }),
};
/** The others take the whole minute that reading may take: too long for the short run. */
const chosen = Object.fromEntries(Object.entries(hostile).filter(([name]) => isLong || name === 'stack overflow'));

test(`files with ${Object.keys(chosen).join(', ')} harm only themselves: others keep 90 % of their pace`, async (t) => {
  const cluster = await startFaultCluster();
  const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  const [good, bad] = await Promise.all([1, 2].map(() => cluster.account({ credits: 1_000_000_000 })));
  assert.ok(good && bad);
  let number = 0;
  /** Tasks that one patient partner creates in the time given; each is small, so the pace is that of the reading. */
  const pace = async (): Promise<number> => {
    let created = 0;
    for (const until = Date.now() + seconds * 1000; Date.now() < until; created++) {
      const fields = { action: 'translation', target_lang: 'fr', estimated_chars: 1 };
      const answer = await create(api, good.key, fields, { file: { content: story(3_000, ++number) } });
      assert.equal(answer.status, 201, answer.text);
      await sleep(50);
    }
    return created;
  };
  await pace();
  const alone = await pace();
  let over = false;
  const outcomes: Record<string, string> = {};
  const attacks = Object.entries(chosen).map(async ([name, make]) => {
    const file = make();
    do {
      const startedAt = performance.now();
      const answer = await create(
        api,
        bad.key,
        { action: 'translation', target_lang: 'fr', char_limit: 1_000 },
        { file },
      );
      assert.equal(answer.status, 400, `${name}: ${answer.text.slice(0, 300)}`);
      outcomes[name] =
        `${answer.body.error.details.reason} after ${Math.round((performance.now() - startedAt) / 1000)} s`;
    } while (!over);
  });
  // The first seconds are those before a file counts as slow: others share the two places with it.
  await sleep(1_000);
  const together = await pace();
  over = true;
  await Promise.all(attacks);
  t.diagnostic(`${alone} tasks in ${seconds} s alone, ${together} beside hostile files; ${JSON.stringify(outcomes)}`);
  assert.equal(api.child.exitCode, null, 'the API process is still the same');
  const { rows } = await cluster.pool.query('select count(*)::int as n from tasks where account_id = $1', [bad.id]);
  assert.equal(rows[0].n, 0, 'nothing was created or held for them');
  assert.ok(!isLong || together >= alone * 0.9, `${together} of ${alone}`);
});
