/** Whatever a model puts around its lines, a book gets the right text of a line or none. Size: made answers. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { readAnswer } from '../../src/engines/llm/judge-answer.ts';
import { makeAnswer, mark } from '../engines/made-answers.ts';
import { proofRun } from '../support/proof.ts';

const { size, seed } = proofRun({ short: 20_000, long: 100_000 });

test(`of ${size} made answers no thought, no line of a prompt, no fence and no wrong line reaches a book`, (context) => {
  let lines = 0;
  let read = 0;
  for (let at = 0; at < size; at++) {
    const made = makeAnswer(seed + at);
    for (const [number, text] of readAnswer(made.answer, made)) {
      const seen = `seed ${seed + at}: ${JSON.stringify(made.answer)}`;
      assert.ok(!text.includes(mark) && !text.includes('```'), seen);
      assert.equal(asOneLine(text), asOneLine(made.wanted[number - 1] ?? ''), seen);
      read += made.isCut ? 0 : 1;
    }
    lines += made.isCut ? 0 : made.wanted.length;
  }
  context.diagnostic(`${read} of ${lines} lines of whole answers read`);
  // A third of them stand beside an open thought, a second answer or our own prompt.
  assert.ok(read > lines * 0.75, `${read} of ${lines}`);
});

/** Line breaks of a paragraph come back as breaks or as the two characters that stand for one. */
function asOneLine(text: string): string {
  return text.replaceAll('\\n', ' ').replaceAll('\n', ' ').trim();
}
