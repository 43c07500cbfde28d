import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { reviewOf } from '../../src/translation/doubts.ts';

const nothing = { failures: [], flagged: [], strained: [], missedTerms: [], editsDropped: [], warnings: [] };
const blockIds = Array.from({ length: 1_000 }, (_, i) => `b${i + 1}`);

test('what is certainly wrong comes first, then what is most suspected, each with its reasons in words', () => {
  const { count, paragraphs } = reviewOf({
    blockIds,
    flagged: [
      { blockId: 'b1', faults: ['quotes'] },
      { blockId: 'b2', faults: ['cut', 'numbers'] },
    ],
    strained: [
      { blockId: 'b3', answers: 7, refused: true },
      { blockId: 'b4', answers: 2, refused: false },
    ],
    failures: [
      { blockId: 'b5', reason: 'policy_blocked' },
      { blockId: 'b6', reason: 'failed_checks' },
    ],
    missedTerms: [{ source: 'Calmo', missedIn: ['b2', 'b7'] }],
    editsDropped: ['b8'],
    warnings: [
      { code: 'REPEATED_PARAGRAPH', message: 'Twice.', block_ids: ['b9'] },
      { code: 'CANCELLED', message: 'Not finished.', block_ids: ['b10'] },
    ],
  });
  assert.equal(count, 8);
  assert.deepEqual(
    paragraphs.map(({ block_id, reasons }) => [block_id, ...reasons.map(({ code }) => code)]),
    [
      ['b6', 'PASSAGES_FAILED'],
      ['b5', 'PASSAGES_REFUSED'],
      ['b9', 'REPEATED_PARAGRAPH'],
      ['b3', 'REFUSED_ONCE', 'LONG_REPAIR'],
      ['b2', 'POSSIBLY_CUT', 'NUMBER_CHANGED', 'TERM_NOT_APPLIED'],
      ['b8', 'EDIT_DROPPED'],
      ['b7', 'TERM_NOT_APPLIED'],
      ['b1', 'UNBALANCED_QUOTES'],
    ],
  );
  assert.match(paragraphs[3]?.reasons[1]?.message ?? '', /took 7 answers/);
});

test('the list is bounded and its count is not; the same doubt is in the order of the book', () => {
  const flagged = blockIds.toReversed().map((blockId) => ({ blockId, faults: ['length' as const] }));
  const { count, paragraphs } = reviewOf({ ...nothing, blockIds, flagged });
  assert.deepEqual([count, paragraphs.length, paragraphs[0]?.block_id], [1_000, 500, 'b1']);
});
