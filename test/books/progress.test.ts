import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sql } from 'kysely';
import { saveProgress } from '../../src/books/attempt-store.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story } from '../support/texts.ts';

test('progress moves in several steps while a book is prepared, and neither it nor the stage goes back', async () => {
  const app = await startTestApp({ own: true });
  const { key } = await app.account({ credits: 1_000_000 });
  const { db } = app.application.database;
  // Polls would miss most of it.
  await sql
    .raw(
      `create table seen (id bigserial, stage text, progress double precision);
       create function see() returns trigger language plpgsql as
         $$begin insert into seen (stage, progress) values (new.stage, new.progress); return null; end$$;
       create trigger see after update on tasks for each row execute function see()`,
    )
    .execute(db);
  const text = story(120_000);
  const created = await create(app, key, { action: 'translation', target_lang: 'de', source_lang: 'en', text });
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'completed');
  const { rows } = await sql<{ stage: string; progress: number }>`select stage, progress from seen order by id`.execute(
    db,
  );
  const preparing = new Set(rows.filter(({ stage }) => stage === 'preparing').map(({ progress }) => progress));
  assert.ok(preparing.size >= 3, `while preparing: ${[...preparing].join(', ')}`);
  assert.ok([...preparing].every((progress) => progress <= 0.05));
  const order = ['preparing', 'translating', 'finalizing', 'completed'];
  const places = rows.map(({ stage }) => order.indexOf(stage));
  assert.deepEqual(places, places.toSorted());
  const shares = rows.map(({ progress }) => progress);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
});

test('a stage that arrives late changes nothing', async () => {
  const app = await startTestApp({ role: 'api' });
  const { key } = await app.account({ credits: 1_000 });
  const { db } = app.application.database;
  const { body } = await create(app, key, { action: 'translation', target_lang: 'de', text: 'The ferry left.' });
  const attempt = { taskId: body.data.task_id, number: 0 };
  const stageOf = async () => (await app.call('GET', `/api/v1/tasks/${attempt.taskId}`, { key })).body.data.stage;
  await saveProgress(db, attempt, { stage: 'finalizing' });
  await saveProgress(db, attempt, { stage: 'translating' });
  assert.equal(await stageOf(), 'finalizing');
  await saveProgress(db, attempt, { progress: 0.5 });
  assert.equal(await stageOf(), 'finalizing');
});
