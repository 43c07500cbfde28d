import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../support/test-database.ts';
import { toledo } from '../support/toledo-process.ts';
import { bad, good, judge, openGradedZoo } from '../support/zoo/graded-zoo.ts';

const database = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'toledo-evaluate-'));
after(() => rm(folder, { recursive: true, force: true }));
const graded = await openGradedZoo([
  { name: 'nothing', kind: 'sandbox' },
  { name: 'into-french', kind: 'libretranslate', base_url: 'http://127.0.0.1:1', target_languages: ['fr'] },
]);
const env = {
  TOLEDO_DATA_DIR: join(folder, 'data'),
  TOLEDO_DATABASE_URL: database.url,
  TOLEDO_ENGINES: graded.enginesFile,
};

const paragraph = (n: number) =>
  n % 3 === 0
    ? `“Is ferry number ${n} yours?” asked the harbour master. “It is,” said Marit, and he wrote ${n} into his book.`
    : `The ferry number ${n} left the harbour before dawn, and nobody on the quay could say who had ordered it to go.`;
const letter =
  'My dear brother, I write in haste: the ferry does not run, and the ice has closed the harbour since Monday.';
const book = join(folder, 'ferries.txt');
const paragraphs = Array.from({ length: 60 }, (_, n) => (n === 40 ? letter : paragraph(n)));
await writeFile(book, paragraphs.join('\n\n'));
const evaluate = (...options: string[]) =>
  toledo(['evaluate', book, '--to', 'de', '--characters', '3000', ...options], env);

test('engines stand in the order of their merit, with figures, verdicts, time and cost', async () => {
  const page = join(folder, 'compare.html');
  const { code, stdout, stderr } = await evaluate(
    '--engines',
    `${bad},nothing,${good}`,
    '--judge',
    judge,
    '--html',
    page,
    '--json',
  );
  assert.equal(code, 0, stderr);
  const found = JSON.parse(stdout);
  assert.deepEqual(
    found.engines.map(({ engine }: { engine: string }) => engine),
    [good, bad, 'nothing'],
  );
  const [best, second, last] = found.engines;
  const passages = found.passages.length;
  assert.ok(passages >= 3);
  assert.ok(found.book.characters >= 3_000);
  assert.deepEqual([best.wins, best.losses, best.ties], [2 * passages, 0, 0]);
  assert.deepEqual([second.wins, second.losses], [passages, passages]);
  assert.deepEqual([last.wins, last.quality, last.cost], [0, 'sandbox', null]);
  assert.deepEqual([best.failed_paragraphs, best.quality, best.failure], [0, 'standard', null]);
  assert.ok(best.cost > 0 && best.calls > 0 && best.seconds > 0);
  assert.equal(found.judge.comparisons, 3 * passages);
  assert.equal(found.judge.changed_with_order, 0);
  assert.ok(found.passages.some(({ kind }: { kind: string }) => kind === 'letter'));
  assert.ok(found.passages.some(({ kind }: { kind: string }) => kind === 'dialogue'));
  assert.equal(found.sheet, null, 'a task with this book would have none');
  assert.deepEqual(found.compared_with, { address: 'neighbours', tense: 'neighbours', phrases: null });
  assert.deepEqual([found.editor, best.editing], [null, null]);
  const html = await readFile(page, 'utf8');
  assert.match(html, /^<!doctype html>/u);
  assert.doesNotMatch(html, /<script|<link|https?:\/\//u, 'the file needs nothing else');
  assert.equal(html.match(/<fieldset/gu)?.length, passages);
});

test('a book with a sheet: each paragraph of every engine is compared with what the one sheet decides', async (context) => {
  const long = join(folder, 'long.txt');
  await writeFile(long, Array.from({ length: 220 }, (_, n) => paragraph(n)).join('\n\n'));
  const usual = { marks: graded.marks, sheet: graded.sheet };
  context.after(() => void Object.assign(graded, usual));
  graded.sheet = JSON.stringify({
    tense: 'past (Präteritum), Plusquamperfekt for what lay before',
    address: [
      { from: 'Marit', to: 'the harbour master', form: '"Sie" throughout' },
      { from: 'everybody else', to: 'everybody else', form: '"Sie"' },
    ],
    phrases: [{ source: 'wrote', target: 'schrieb ins Buch' }],
  });
  // Each keeps to one form: beside its neighbours no paragraph of either stands out.
  graded.marks = {
    [good]: 'Er stand da und fragte: „Kommen Sie, wenn Sie wollen?“',
    [bad]: 'Er steht da und fragt: „Kommst du, wenn du willst?“',
  };
  const run = (...options: string[]) =>
    toledo(['evaluate', long, '--to', 'de', '--characters', '2000', '--engines', `${bad},${good}`, ...options], env);
  const { code, stdout, stderr } = await run('--json');
  assert.equal(code, 0, stderr);
  const found = JSON.parse(stdout);
  assert.deepEqual(found.compared_with, { address: 'sheet', tense: 'sheet', phrases: 'sheet' });
  assert.equal(found.sheet.written_by, bad, 'the first that can, where nobody judges');
  assert.ok(found.sheet.decisions.includes('Marit to the harbour master: "Sie" throughout'));
  const [first, second] = [good, bad].map((name) =>
    found.engines.find(({ engine }: { engine: string }) => engine === name),
  );
  assert.ok(first.address_paragraphs > 5 && first.tense_paragraphs > 5);
  assert.deepEqual([first.address_switches, first.tense_switches], [0, 0]);
  assert.deepEqual(
    [second.address_switches, second.tense_switches],
    [second.address_paragraphs, second.tense_paragraphs],
  );
  assert.ok(second.address_switches > 5 && second.tense_switches > 5);
  assert.ok(first.phrase_paragraphs > 0 && first.phrase_switches === first.phrase_paragraphs);
  const sheets = () => [good, bad, judge].map((name) => graded.asked(name, 'sheet'));
  const before = sheets();
  const told = await run('--judge', judge);
  assert.deepEqual(
    sheets().map((count, i) => count - (before[i] ?? 0)),
    [0, 0, 1],
    'one sheet, by the judge',
  );
  assert.match(told.stdout, /SWITCHES \(ADDRESS, TENSE, PHRASES\)/u);
  assert.match(
    told.stdout,
    /Switches from the sheet, which anthropic wrote once for all engines: form of address, tense, recurring phrases\./u,
  );
});

test('the editor of the file of engines takes part, and the figures say so', async () => {
  const edited = join(folder, 'edited.json');
  const file = JSON.parse(await readFile(graded.enginesFile, 'utf8'));
  await writeFile(edited, JSON.stringify({ ...file, editor: judge }));
  graded.edits = '{"t":[]}';
  const run = (...options: string[]) =>
    toledo(['evaluate', book, '--to', 'de', '--characters', '1000', '--engines', `${good},nothing`, ...options], {
      ...env,
      TOLEDO_ENGINES: edited,
    });
  const { code, stdout, stderr } = await run('--json');
  assert.equal(code, 0, stderr);
  const found = JSON.parse(stdout);
  assert.equal(found.editor, judge);
  const [first] = found.engines;
  assert.deepEqual(
    [first.engine, first.quality, first.editing],
    [good, 'refined', { offered: 0, taken: 0, dropped: 0 }],
  );
  assert.ok(graded.asked(judge, 'edit') > 0);
  assert.match((await run()).stdout, /anthropic has edited every translation, as in tasks; its calls and cost are in/u);
});

test('a judge that always says A yields only ties, and a judge that talks none at all; both is said', async () => {
  graded.verdict = () => '{"better":"A"}';
  const always = await evaluate('--engines', `${good},${bad}`, '--judge', judge);
  assert.equal(always.code, 0, always.stderr);
  assert.match(
    always.stdout,
    /judged (\d+) pairs of passages, each in both orders\. \1 changed with the order and count as ties\./u,
  );
  assert.match(always.stdout, /openai +0 +0 +\d/u);
  graded.verdict = () => 'Both are lovely in their own way.';
  const talking = await evaluate('--engines', `${good},${bad}`, '--judge', judge, '--json');
  const { comparisons, changed_with_order, unread } = JSON.parse(talking.stdout).judge;
  assert.deepEqual([changed_with_order, unread], [0, comparisons]);
});

test('a reference gives BLEU and chrF2 with their signatures; one that does not match is refused', async () => {
  const reference = join(folder, 'reference.txt');
  await writeFile(reference, paragraphs.map((_, n) => `Die Fähre Nummer ${n} verließ den Hafen.`).join('\n\n'));
  const { stdout, stderr } = await evaluate('--engines', good, '--reference', reference);
  assert.match(stdout, /BLEU nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp; chrF2 nrefs:1\|case:mixed/u, stderr);
  const exact = await evaluate('--engines', good, '--reference', reference, '--json');
  const [first] = JSON.parse(exact.stdout).engines;
  assert.ok(first.chrf > 0 && first.bleu >= 0);
  await writeFile(reference, 'Only one paragraph.');
  const refused = await evaluate('--engines', good, '--reference', reference);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /The reference has 1 paragraphs and the book has 60/u);
});

test('an engine that fails is shown with its reason, and what is asked wrongly is said in a sentence', async () => {
  const { stdout } = await evaluate('--engines', `into-french,${good}`);
  assert.match(stdout, /^openai .*\n^into-french: it does not serve this pair of languages/mu);
  const [unknown, unable, file, amount, language] = await Promise.all([
    evaluate('--engines', 'main'),
    evaluate('--judge', 'nothing'),
    toledo(['evaluate', join(folder, 'none.txt'), '--to', 'de'], env),
    evaluate('--characters', '100'),
    toledo(['evaluate', book, '--to', 'tlh', '--engines', good], env),
  ]);
  assert.match(
    unknown.stderr,
    /There is no engine "main"; there are openai, anthropic, mistral, nothing, into-french\./u,
  );
  assert.match(unable.stderr, /nothing is of kind sandbox and cannot judge/u);
  assert.match(file.stderr, /There is no file/u);
  assert.match(amount.stderr, /--characters goes from 500 to 200000/u);
  assert.match(language.stderr, /"tlh" is no language that is known here/u);
  for (const { code } of [unknown, unable, file, amount, language]) assert.notEqual(code, 0);
});
