import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveEngineFaults } from '../support/engine-fault-proof.ts';

const segments = 2_000;
const seed = 11;

test(`E1: ${segments} segments with 30 % faulty answers of every kind come out whole and are charged once (seed ${seed})`, async () => {
  const figures = await proveEngineFaults({ segments, seed, timeoutMs: 1_200_000 });
  console.log(JSON.stringify(figures));
  assert.ok(figures.extraShare <= 0.2, `${figures.extraShare}`);
  assert.ok(figures.keptParagraphs <= 0.002 * 2 * segments, `${figures.keptParagraphs} paragraphs kept`);
});
