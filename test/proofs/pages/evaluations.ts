import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import type { EvaluatedEngine, Evaluation } from '../../../src/evaluation/evaluation.ts';
import { evaluationFile } from '../../../src/evaluation/evaluation-page.ts';
import { keepEvaluation, listEvaluations } from '../../../src/evaluation/evaluation-store.ts';
import { createSignInCode } from '../../../src/operators/console-session-store.ts';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const { db } = app.application.database;
const attack = '<img src=x onerror=alert(1)></style><script>alert(2)</script>';

const figures = (engine: string, wins: number): EvaluatedEngine => ({
  engine,
  failure: null,
  quality: 'standard',
  seconds: 12.5,
  calls: 9,
  failed_calls: 1,
  input_tokens: 12_000,
  cached_input_tokens: 8_000,
  output_tokens: 6_000,
  cost: 0.125,
  paragraphs: 6,
  failed_paragraphs: 0,
  flagged_paragraphs: 1,
  term_consistency: 0.95,
  address_switches: 1,
  address_paragraphs: 4,
  tense_switches: 0,
  tense_paragraphs: 5,
  phrase_switches: 0,
  phrase_paragraphs: 1,
  editing: { offered: 3, taken: 2, dropped: 1 },
  bleu: 31.25,
  chrf: 58.75,
  wins,
  losses: 2 - wins,
  ties: 0,
});
const evaluation: Evaluation = {
  book: { file: 'moulin.txt', title: `Le Moulin ${attack}`, source_lang: 'fr', target_lang: 'en', characters: 20_140 },
  engines: [figures('careful', 2), figures('quick', 0)],
  signatures: { bleu: 'nrefs:1|tok:13a', chrf: 'nrefs:1|nc:6' },
  judge: {
    engine: 'careful',
    pairs: [{ first: 'careful', second: 'quick', first_wins: 2, second_wins: 0, ties: 0 }],
    comparisons: 2,
    changed_with_order: 0,
    unread: 0,
  },
  sheet: { written_by: 'careful', decisions: ['Tense: past', `Mathilde to the miller: formal ${attack}`] },
  compared_with: { address: 'sheet', tense: 'sheet', phrases: 'sheet' },
  editor: 'careful',
  passages: (['dialogue', 'letter'] as const).map((kind, at) => ({
    kind,
    source: [`« Qui est là ? » demanda-t-elle. ${attack}`, 'La lampe brûlait encore quand Mathilde descendit.'],
    translations: {
      careful: [`“Who is there?” she asked. ${at}`, 'The lamp was still burning when Mathilde came down.'],
      quick: [`“Who is it?” asked she. ${at}`, 'The lamp burned yet as Mathilde has descended.'],
    },
  })),
};

/** Chooses the translation of an engine in every passage, by keyboard alone, and sees its name only then. */
async function readBlind(page: Page, engine: string): Promise<void> {
  const passages = page.locator('.blind-passage');
  for (let at = 0; at < (await passages.count()); at++) {
    const passage = passages.nth(at);
    const names = passage.locator('.blind-name');
    assert.equal(await names.first().isVisible(), false, 'hidden until it is judged');
    await passage.locator('input').first().focus();
    await page.keyboard.press('Space');
    while ((await passage.locator('input:checked').getAttribute('value')) !== engine)
      await page.keyboard.press('ArrowDown');
    assert.ok(await names.first().isVisible());
  }
  assert.equal(await countedFor(page, engine), String(await passages.count()));
}

/** The style sheet counts; what it writes is in the tree that is read aloud, and nowhere else. */
async function countedFor(page: Page, engine: string): Promise<string | undefined> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const texts = nodes.filter(({ role }) => role?.value === 'StaticText').map(({ name }) => String(name?.value));
  const tally = texts.slice(texts.indexOf('Your count'));
  return tally[tally.indexOf(engine) + 1];
}

test('the console keeps evaluations, shows one to be read blind by keyboard, fits a telephone, and removes it', async () => {
  const id = await keepEvaluation(db, evaluation);
  for (const width of [1280, 360]) {
    const { page, faults } = await openPage({ viewport: { width, height: 900 } });
    await page.goto(`${app.rootUrl}/console/sign-in?code=${await createSignInCode(db)}`);
    await page.getByRole('link', { name: 'Evaluations' }).first().click();
    await page.waitForURL('**/console/evaluations');
    await assertAccessible(page, `the list at ${width}`);
    await assertFits(page, `the list at ${width}`);
    await page.locator(`a[href="/console/evaluations/${id}"]`).click();
    await page.waitForURL(`**/console/evaluations/${id}`);
    await readBlind(page, 'quick');
    await page.getByText('Figures of the evaluation').click();
    await page.getByText('Sheet of the book, written by careful').click();
    const shown = await page.locator('main').innerText();
    assert.match(shown, /1 of 4, 0 of 5, 0 of 1\s+2 of 3/u);
    assert.match(shown, /Switches from the sheet, which careful wrote once for all engines: form of address, tense/u);
    assert.match(shown, /careful has edited every translation/u);
    assert.match(shown, /Mathilde to the miller: formal/u);
    assert.match(shown, /careful judged 2 pairs of passages, each in both orders/u);
    await assertAccessible(page, `the evaluation at ${width}`);
    await assertFits(page, `the evaluation at ${width}`);
    assert.deepEqual(faults, []);
    if (width === 1280) continue;
    await page.getByText('Remove', { exact: true }).click();
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Remove this evaluation' }).click()]);
    assert.ok((await listEvaluations(db)).every((each) => each.id !== id));
    assert.equal((await page.goto(`${app.rootUrl}/console/evaluations/${id}`))?.status(), 404);
  }
});

test('the file to read blind works from a disk, without a server, and runs nothing of the book', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-blind-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'compare.html');
  await writeFile(file, evaluationFile(evaluation));
  const { page, faults } = await openPage({ viewport: { width: 360, height: 800 } });
  await page.goto(pathToFileURL(file).href);
  await readBlind(page, 'careful');
  await assertAccessible(page, 'the file');
  await assertFits(page, 'the file');
  assert.deepEqual(faults, []);
});

test('the last fifty evaluations are kept', async () => {
  const first = await keepEvaluation(db, evaluation);
  for (let n = 0; n < 50; n++) await keepEvaluation(db, { ...evaluation, passages: [] });
  const kept = await listEvaluations(db);
  assert.equal(kept.length, 50);
  assert.ok(kept.every(({ id }) => id > first));
});
