/**
 * Files are charged to the character as counted by hand, and balance, reserved and used always add up to the whole.
 * Size: files.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { countByHand, story, texts } from '../support/texts.ts';

const { size: files, seed } = proofRun({ short: 20, long: 200, seed: 3 });
const looks = files * 10;
const app = await startTestApp();

test(`${files} files of mixed scripts and traps: charged to the character as counted by hand`, async (t) => {
  const { key } = await app.account({ credits: 100_000_000 });
  const separators = [' ', '\n', '\n\n', '\r\n', '\r\n\r\n', ' — ', '\u3000'];
  const choose = <T>(from: readonly T[], ...what: (string | number)[]): T =>
    from[Math.floor(seeded(seed, ...what) * from.length)] as T;
  const orders = Array.from({ length: files }, (_, number) => number).values();
  let total = 0;
  const sender = async (): Promise<void> => {
    for (const number of orders) {
      const passages = 1 + Math.floor(seeded(seed, 'passages', number) * 8);
      const content = Array.from({ length: passages }, (_, part) => {
        const passage = choose(texts, 'passage', number, part).sent;
        // The mark means something at the very start only; elsewhere it is a character like any other.
        return (part === 0 ? passage : passage.replace('\ufeff', '')) + choose(separators, 'separator', number, part);
      }).join('');
      const fields = { action: 'translation', target_lang: 'fi', estimated_chars: 1 };
      const created = await create(app, key, fields, { file: { content } });
      assert.equal(created.status, 201, created.text);
      const task = await untilEnded(app, key, created.body.data.task_id);
      const expected = countByHand(content);
      assert.deepEqual(
        [task.status, task.char_count, task.credits_charged],
        ['completed', expected, expected],
        content,
      );
      total += expected;
    }
  };
  await Promise.all(Array.from({ length: 6 }, sender));
  assert.deepEqual(await creditsOf(app, key), { balance: 100_000_000 - total, reserved: 0, used: total });
  t.diagnostic(`seed ${seed}: ${total} characters, 0 differences`);
});

test(`${looks} times GET /usage while tasks are created, completed and cancelled: balance, reserved and used always make the whole`, async (t) => {
  const granted = 10_000_000;
  const { key } = await app.account({ credits: granted });
  let over = false;
  let ended = 0;
  const partner = async (number: number): Promise<void> => {
    for (let turn = 0; !over; turn++) {
      const fields = { action: 'translation', target_lang: 'fr', text: story(200 + turn, number * 10_000 + turn) };
      const { task_id } = (await create(app, key, fields)).body.data;
      if (turn % 3 === 0) await app.call('POST', `/api/v1/tasks/${task_id}/cancel`, { key });
      await untilEnded(app, key, task_id);
      ended += 1;
    }
  };
  const partners = Promise.all([1, 2, 3, 4].map(partner));
  const states = new Set<string>();
  for (let look = 0; look < looks; look += 4) {
    for (const { balance, reserved, used } of await Promise.all([1, 2, 3, 4].map(() => creditsOf(app, key)))) {
      assert.equal(balance + reserved + used, granted);
      states.add(`${balance} ${reserved} ${used}`);
    }
  }
  over = true;
  await partners;
  t.diagnostic(`${looks} answers in ${states.size} different states, ${ended} tasks meanwhile`);
});
