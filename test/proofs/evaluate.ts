/**
 * Engines are set side by side on a French and a Chinese book: the built-in one, the sandbox, and two models that are good and bad by script
 * stand in the order of their merit, and a judge that always says "A" decides nothing. Size: characters of each book.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Evaluation } from '../../src/evaluation/evaluation.ts';
import { proofRun } from '../support/proof.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { toledo } from '../support/toledo-process.ts';
import { bad, good, judge, openGradedZoo } from '../support/zoo/graded-zoo.ts';

const { size: characters } = proofRun({ short: 1_500, long: 8_000 });
const database = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'toledo-evaluate-'));
after(() => rm(folder, { recursive: true, force: true }));
const graded = await openGradedZoo([
  { name: 'drafts', kind: 'built-in' },
  { name: 'invented', kind: 'sandbox' },
]);
const env = {
  TOLEDO_DATA_DIR: join(folder, 'data'),
  TOLEDO_DATABASE_URL: database.url,
  TOLEDO_ENGINES: graded.enginesFile,
};
const books = {
  French: { path: '../../src/pages/samples/le-moulin-des-brumes.md', order: [good, bad, 'drafts', 'invented'] },
  // The built-in engine does not read Chinese, and says so at the end of the list.
  Chinese: { path: '../../scripts/samples/yunhai-wendao.md', order: [good, bad, 'invented', 'drafts'] },
};
const qualities: Record<string, string> = {
  [good]: 'standard',
  [bad]: 'standard',
  drafts: 'draft',
  invented: 'sandbox',
};
const byMerit = graded.verdict;

async function evaluate(book: { path: string }, engines: readonly string[]): Promise<Evaluation> {
  const path = fileURLToPath(new URL(book.path, import.meta.url));
  const options = ['--characters', String(characters), '--engines', engines.join(','), '--judge', judge, '--json'];
  const { code, stdout, stderr } = await toledo(['evaluate', path, '--to', 'en', ...options], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Evaluation;
}

for (const [language, book] of Object.entries(books)) {
  test(`four engines on a ${language} book of ${characters} characters: in the order of their merit`, async (context) => {
    graded.verdict = byMerit;
    const found = await evaluate(book, ['invented', bad, 'drafts', good]);
    for (const each of found.engines) {
      const { engine, wins, seconds, cost, failed_paragraphs, flagged_paragraphs, term_consistency } = each;
      const tense = `${each.tense_switches} of ${each.tense_paragraphs}`;
      context.diagnostic(
        JSON.stringify({ engine, wins, seconds, cost, failed_paragraphs, flagged_paragraphs, term_consistency, tense }),
      );
    }
    // The French book is too short for a sheet.
    assert.equal(found.sheet?.written_by, language === 'Chinese' ? judge : undefined);
    assert.equal(found.compared_with?.tense, language === 'Chinese' ? 'sheet' : 'neighbours');
    assert.deepEqual(
      found.engines.map(({ engine }) => engine),
      book.order,
    );
    const able = found.engines.filter(({ failure }) => failure === null);
    assert.equal(able.length, language === 'Chinese' ? 3 : 4);
    for (const { engine, quality } of able) assert.equal(quality, qualities[engine]);
    assert.deepEqual([found.judge?.changed_with_order, found.judge?.unread], [0, 0]);
    assert.equal(found.judge?.comparisons, ((able.length * (able.length - 1)) / 2) * found.passages.length);
    assert.ok(found.book.characters >= characters);
    for (const { source, translations } of found.passages)
      for (const texts of Object.values(translations)) assert.equal(texts.length, source.length);
  });

  test(`a judge that always says "A" about the ${language} book yields only ties`, async () => {
    graded.verdict = () => '{"better":"A"}';
    const { judge: verdicts, engines } = await evaluate(book, [good, bad, 'invented']);
    assert.equal(verdicts?.changed_with_order, verdicts?.comparisons);
    for (const { wins, losses, ties } of engines) {
      assert.deepEqual([wins, losses], [0, 0]);
      assert.ok((ties ?? 0) > 0);
    }
  });
}
