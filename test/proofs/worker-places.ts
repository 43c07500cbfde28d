/** How many tasks a worker has in hand at once is what its settings say: short tasks, books, and characters of books. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Tasks of several partners that each take long: how many characters they have, and how the database shows that two are worked on at once. */
const kindsOfTasks = {
  short: { sizes: [10, 10, 10], atOnce: `count(*) filter (where j.state = 'active') > 1` },
  books: { sizes: [30_000, 30_000, 30_000], atOnce: `count(*) filter (where j.state = 'active') > 1` },
  // A worker holds several of them, and lets one wait until there is room for its text: the times of their segments tell.
  // A task that was given back on a busy machine says nothing, because it may go on after the other.
  large: { sizes: [1_100_000, 1_100_000], atOnce: 'max(attempt) = 1 and count(first) = 2 and max(first) < min(last)' },
};
type TaskKind = keyof typeof kindsOfTasks;

const settings: Record<string, TaskKind> = {
  TOLEDO_WORKER_SHORT_TASKS: 'short',
  TOLEDO_WORKER_BOOKS: 'books',
  TOLEDO_WORKER_CHARACTERS: 'large',
};
for (const [name, kind] of Object.entries(settings)) {
  test(`${name}: several at once with many places, one at a time with one`, async () => {
    assert.deepEqual(await tasksAtOnce(kind), [true, false]);
  });
}

let workers: Promise<Partial<Record<TaskKind, boolean>>[]> | undefined;

/** Whether a worker has several tasks of a kind in hand at once, with many places for them and with one. */
async function tasksAtOnce(kind: TaskKind): Promise<[several: unknown, one: unknown]> {
  workers ??= Promise.all([
    atOnceWith({ TOLEDO_WORKER_BOOKS: '8', TOLEDO_WORKER_SHORT_TASKS: '1' }, { short: 40, books: 400, large: 400 }),
    atOnceWith({ TOLEDO_WORKER_BOOKS: '1', TOLEDO_WORKER_SHORT_TASKS: '8' }, { short: 400, books: 40 }),
    atOnceWith({ TOLEDO_WORKER_CHARACTERS: '1000000' }, { large: 40 }),
  ]);
  const [manyBooks, manyShort, fewCharacters] = await workers;
  const several = { short: manyShort, books: manyBooks, large: manyBooks }[kind];
  const one = { short: manyBooks, books: manyShort, large: fewCharacters }[kind];
  return [several?.[kind], one?.[kind]];
}

/** @param patience for each kind, after how many segments of one task it is certain that no other is begun beside it */
async function atOnceWith(
  env: Record<string, string>,
  patience: Partial<Record<TaskKind, number>>,
): Promise<Partial<Record<TaskKind, boolean>>> {
  const service = await startTestApp({ env });
  const kinds = Object.entries(patience) as [TaskKind, number][];
  const seen = await Promise.all(kinds.map(async ([kind, most]) => [kind, await severalAtOnce(service, kind, most)]));
  // Their books go on for minutes.
  await service.application.stop();
  return Object.fromEntries(seen);
}

/** True as soon as two are worked on; false when one has got well on and no other has been begun. */
async function severalAtOnce(service: TestApp, kind: TaskKind, mostSegments: number): Promise<boolean> {
  const { sizes, atOnce } = kindsOfTasks[kind];
  const fields = {
    ...{ action: 'translation', source_lang: 'fr', target_lang: 'de-x-slow' },
    ...{ glossary: { lampe: 'Lampe' }, glossary_strategy: 'replace' },
  };
  const tasks = await Promise.all(
    sizes.map(async (characters) => {
      const owner = await service.account({ credits: 2_000_000 });
      const text = 'Une lampe. '.repeat(Math.ceil(characters / 11));
      const { body } = await create(service, owner.key, { ...fields, text });
      return body.data.task_id as string;
    }),
  );
  for (;;) {
    const { rows } = await service.application.database.pool.query(
      `select ${atOnce} as several, max(segments)::int as segments, bool_or(status <> 'pending') as ended
      from tasks left join pgboss.job j on j.name = tasks.lane and j.id = tasks.job_id,
        lateral (select count(*) as segments, min(created_at) as first, max(created_at) as last
          from checkpoints where task_id = tasks.id) of_task
      where tasks.id = any($1)`,
      [tasks],
    );
    const [{ several, segments, ended }] = rows;
    if (several) return true;
    // The engine takes 3 s for each call, 32 at a time: in that time a second one would have begun.
    if (ended || segments > mostSegments) return false;
    await sleep(20);
  }
}
