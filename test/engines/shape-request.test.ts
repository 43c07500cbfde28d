import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { shapeRequest } from '../../src/engines/llm/shape-request.ts';

const shape = { dropped: [], limitName: undefined, rulesFrom: undefined, added: {} };
const body = {
  messages: [
    { role: 'system', content: 'Rules.' },
    { role: 'user', content: 'Brief of the book.\nText:\n1 Rain.' },
  ],
};
const mark = { cache_control: { type: 'ephemeral' } };

test('the mark for a cache stands behind the brief, or behind the rules where there is none, and nowhere else', () => {
  assert.deepEqual(shapeRequest(body, { ...shape, markedFront: 'Brief of the book.\n' }).messages, [
    { role: 'system', content: 'Rules.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Brief of the book.\n', ...mark },
        { type: 'text', text: 'Text:\n1 Rain.' },
      ],
    },
  ]);
  assert.deepEqual(shapeRequest(body, { ...shape, markedFront: '' }).messages, [
    { role: 'system', content: [{ type: 'text', text: 'Rules.', ...mark }] },
    body.messages[1],
  ]);
  assert.deepEqual(shapeRequest(body, { ...shape, markedFront: undefined }).messages, body.messages);
});
