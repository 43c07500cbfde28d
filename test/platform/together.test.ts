import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Together } from '../../src/platform/together.ts';

test('owners take turns: one question waits for a single statement, not for all the questions of another', async () => {
  const statements: string[][] = [];
  const together = new Together<string, string>(
    async (questions) => {
      statements.push([...questions]);
      await Promise.resolve();
      return questions;
    },
    { maxUnderWay: 1, ownerOf: (question) => question.slice(0, 1) },
  );
  const first = together.ask('first');
  await new Promise((resolve) => setImmediate(resolve));
  const asked = ['first', ...Array.from({ length: 100 }, (_, n) => `many ${n}`), 'one'];
  const answers = Promise.all([first, ...asked.slice(1).map((question) => together.ask(question))]);
  assert.deepEqual(await answers, asked);
  assert.ok(statements[1]?.includes('one'));
  assert.deepEqual(
    statements.map((questions) => questions.length),
    [1, 32, 32, 32, 5],
  );
  const inOrder = statements.flat().filter((question) => question.startsWith('many'));
  assert.deepEqual(inOrder, asked.slice(1, -1));
});

test('what is asked in one turn of the event loop shares a statement from the first question on', async () => {
  const statements: number[] = [];
  const together = new Together<number, number>(async (questions) => {
    statements.push(questions.length);
    return questions;
  });
  const asked = Array.from({ length: 20 }, (_, n) => n);
  assert.deepEqual(await Promise.all(asked.map((question) => together.ask(question))), asked);
  assert.deepEqual(statements, [20]);
});
