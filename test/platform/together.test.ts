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
  const asked = ['first', ...Array.from({ length: 100 }, (_, n) => `many ${n}`), 'one'];
  assert.deepEqual(await Promise.all(asked.map((question) => together.ask(question))), asked);
  assert.ok(statements[1]?.includes('one'));
  assert.deepEqual(
    statements.map((questions) => questions.length),
    [1, 32, 32, 32, 5],
  );
  const inOrder = statements.flat().filter((question) => question.startsWith('many'));
  assert.deepEqual(inOrder, asked.slice(1, -1));
});
