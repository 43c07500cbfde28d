import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { EngineConfig } from '../../engines/engine-settings.ts';
import { engineChoice } from '../../engines/open-engines.ts';
import { evaluateBook } from '../../evaluation/evaluate-book.ts';
import { evaluationFile } from '../../evaluation/evaluation-page.ts';
import { keepEvaluation } from '../../evaluation/evaluation-store.ts';
import { engineRows, figureHeadings, pairInWords, remarks } from '../../evaluation/evaluation-words.ts';
import { recordAudit } from '../../operators/audit-store.ts';
import { command, option, requiredText, UsageError, wholeNumber } from '../command.ts';
import { printAnswer, table } from '../output.ts';
import { terminal } from '../terminal.ts';
import { operatorSession } from './operator-session.ts';

const usualCharacters = '20000';
const mostCharacters = 200_000;
/** As many as a reader can keep apart. */
const mostEngines = 8;

export const evaluateCommand = command('evaluate BOOK', {
  options: {
    to: option('LANG', 'the language to translate into'),
    from: option('LANG', 'the language of the book; detected by default'),
    engines: option('A,B', 'engines to compare, by name; all that are set up by default'),
    judge: option('ENGINE', 'a language model that compares them, each pair in both orders'),
    reference: option('FILE', 'a good translation, paragraph by paragraph, for BLEU and chrF2'),
    characters: option('N', `how much of the book to translate; ${usualCharacters} by default`),
    html: option('FILE', 'write a page to read the translations blind'),
  },
  summary:
    'Translate passages of a book with several engines and set them side by side. Makes real calls; moves no credits.',
  examples: [
    'evaluate novel.epub --to de',
    'evaluate novel.epub --to de --engines main,house --judge main --html compare.html',
  ],
  async run(args) {
    const [bookPath = ''] = args.positionals;
    const targetLang = requiredText(args, 'to', 'de');
    const { reference: referencePath, html: htmlPath, judge: judgeName } = args.options;
    for (const path of [bookPath, referencePath])
      if (path !== undefined && !existsSync(path)) throw new UsageError(`There is no file ${path}.`);
    const characters = wholeNumber(args.options.characters ?? usualCharacters, '--characters');
    if (characters < 500 || characters > mostCharacters)
      throw new UsageError(`--characters goes from 500 to ${mostCharacters}.`);
    await using session = await operatorSession();
    const { db, actor, config } = session;
    const { engines, editor: editorName } = engineChoice(config, 'needed');
    const chosen = chosenEngines(engines, args.options.engines);
    const [judge] = judgeName === undefined ? [] : named(engines, [judgeName]);
    if (judge !== undefined && !('model' in judge))
      throw new UsageError(`${judge.name} is of kind ${judge.kind} and cannot judge: a judge is a language model.`);
    const evaluation = await evaluateBook({
      bookPath,
      referencePath,
      sourceLang: args.options.from,
      targetLang,
      engines: chosen,
      judge,
      editor: engines.find(({ name }) => name === editorName),
      characters,
      limits: { maxCharacters: config.limits.maxTextCharacters, maxArchiveBytes: config.limits.maxArchiveBytes },
      onStep: (step) => void terminal().stderr.write(`${step}\n`),
    });
    const id = await keepEvaluation(db, evaluation);
    const details = { engines: chosen.map(({ name }) => name), judge: judgeName ?? null, characters };
    await recordAudit(db, { actor, action: 'engine.evaluate', subject: String(id), details });
    if (htmlPath !== undefined) await writeFile(htmlPath, evaluationFile(evaluation));
    const words = [
      `${evaluation.book.title ?? evaluation.book.file}, ${pairInWords(evaluation.book)}`,
      '',
      table(figureHeadings(evaluation), engineRows(evaluation)),
      '',
      ...remarks(evaluation),
      ...(htmlPath === undefined ? [] : [`To read blind: ${htmlPath}`]),
      `Kept in the console: /console/evaluations/${id}`,
    ];
    printAnswer(args, { evaluation_id: id, ...evaluation }, words.join('\n'));
  },
});

function chosenEngines(engines: readonly EngineConfig[], names: string | undefined): EngineConfig[] {
  const wanted = names?.split(',').filter((name) => name !== '');
  const chosen = wanted === undefined ? [...engines] : named(engines, [...new Set(wanted)]);
  if (chosen.length === 0) throw new UsageError('--engines names no engine.');
  if (chosen.length > mostEngines)
    throw new UsageError(`At most ${mostEngines} engines are compared: name them with --engines.`);
  return chosen;
}

function named(engines: readonly EngineConfig[], names: readonly string[]): EngineConfig[] {
  return names.map((name) => {
    const found = engines.find((engine) => engine.name === name);
    if (found === undefined)
      throw new UsageError(`There is no engine "${name}"; there are ${engines.map((each) => each.name).join(', ')}.`);
    return found;
  });
}
