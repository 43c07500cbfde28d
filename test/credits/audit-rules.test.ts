import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import pg from 'pg';
import { updateAccount } from '../../src/accounts/account-store.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { longStory } from '../support/texts.ts';

const app = await startTestApp({ own: true });
const audit = await readFile(new URL('../../migrations/audit.sql', import.meta.url), 'utf8');
const text = Array.from(
  { length: 60 },
  (_, i) => `The ${i}th lamp of the quay burned over the bay while Marina counted ships.`,
).join('\n');
const order = {
  action: 'translation',
  target_lang: 'de',
  glossary: '{"Marina":"Marina"}',
  glossary_strategy: 'replace',
  text,
};
const { id, key } = await app.account({ credits: 1_000_000 });
await updateAccount(app.application.database.db, id, { rateLimitPerMinute: undefined, creditPreviews: true });
const preview = await run(app, key, { ...order, char_limit: 2_000 });
const book = await run(app, key, order);
assert.ok(book.credits_charged < book.char_count, 'the preview is credited');
const extraction = await run(app, key, { action: 'glossary_extraction', target_lang: 'de', text });
const waiting = (await create(app, key, { ...order, target_lang: 'de-x-slow', text: longStory(1) })).body.data;

/** What goes wrong, in SQL, and the rule that has to name the task. */
const faults: [what: string, statements: string[], rule: string, taskId: string][] = [
  // First: the slow task is still waiting or running now.
  [
    'the job of a task vanishes',
    [
      `update tasks set created_at = now() - interval '1 hour' where id = '${waiting.task_id}'`,
      `delete from pgboss.job where id = (select job_id from tasks where id = '${waiting.task_id}')`,
    ],
    'pending task without a job',
    waiting.task_id,
  ],
  [
    'a task charges what it took from memory',
    [
      `update tasks set result = jsonb_set(result::jsonb, '{coverage,reused}', to_jsonb(char_count)) where id = '${book.task_id}'`,
    ],
    'charged for what was reused',
    book.task_id,
  ],
  [
    'a task charges what was paid before',
    [`update checkpoints set paid_characters = characters where task_id = '${preview.task_id}'`],
    'charged more than was left to pay',
    preview.task_id,
  ],
  [
    'a run forgets what a preview had paid for',
    [
      `update checkpoints set paid_characters = 0, record = replace(record::text, '"free":true', '"free":false')::json
       where task_id = '${book.task_id}' and kind = 'recall'`,
    ],
    'paid for in a preview and not credited',
    book.task_id,
  ],
  [
    'a cancelled task charges what a preview had paid for',
    [
      `update tasks set status = 'cancelled', stage = 'cancelled', progress = 0.5, credits_charged = credits_charged + (
         select sum(paid_characters) from checkpoints where task_id = '${book.task_id}') where id = '${book.task_id}'`,
    ],
    'cancelled and charged for more than was done and left to pay',
    book.task_id,
  ],
  [
    'an extraction that read nothing is charged',
    [`delete from checkpoints where task_id = '${extraction.task_id}'`],
    'extraction charged although nothing was read',
    extraction.task_id,
  ],
  [
    'an extraction that asked no engine is charged',
    [`update tasks set glossary_strategy = 'replace' where id = '${extraction.task_id}'`],
    'extraction charged although nothing was read',
    extraction.task_id,
  ],
  [
    'outputs are registered after the purge',
    [`update tasks set purged_at = now() where id = '${book.task_id}'`],
    'text of a task that was purged',
    book.task_id,
  ],
  [
    'a file written after the purge stays',
    [
      `update tasks set purged_at = now() - interval '2 hours' where id = '${book.task_id}'`,
      `insert into loose_objects (key, task_id, attempt) values ('outputs/late', '${book.task_id}', 1)`,
    ],
    'object of a purged task is still waiting to be removed',
    'outputs/late',
  ],
];

for (const [what, statements, rule, subject] of faults) {
  test(`the audit sees it when ${what}`, async () => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      // The constraints and triggers that would refuse most of this are another matter.
      await client.query('set local session_replication_role = replica');
      const named = async () =>
        (await client.query<{ fault: string; subject: string }>(audit)).rows.some(
          (row) => row.fault === rule && row.subject === subject,
        );
      assert.equal(await named(), false, 'before');
      for (const statement of statements) await client.query(statement);
      assert.equal(await named(), true, 'after');
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });
}
