/** Passages of one book through several engines, side by side: what an operator chooses a model by. */
import { basename } from 'node:path';
import { blocksOf, type Document } from '../documents/document.ts';
import { openJudgedSource, type SourceFile } from '../documents/source-jobs.ts';
import { EngineError } from '../engines/engine-error.ts';
import type { EngineConfig } from '../engines/engine-settings.ts';
import { badRequest } from '../errors.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { likelyLanguage } from '../language/detect-language.ts';
import { parseLanguage } from '../language/languages.ts';
import { bleu, chrF, tokenizerFor } from '../language/scores.ts';
import { type Sheet, sheetLines } from '../translation/sheet.ts';
import { sheetOf } from '../translation/write-sheet.ts';
import { type EvaluatedPassage, type Evaluation, ranked } from './evaluation.ts';
import { judgePassages, verdictsOn } from './judge-passages.ts';
import { choosePassages, type Passage } from './passages.ts';
import { comparedWith, decisionsOf } from './switches.ts';
import { caller, catalogOf, type PassageTranslation, translatePassages } from './translate-passages.ts';

export interface EvaluationOrder {
  bookPath: string;
  /** A translation with a paragraph for every paragraph of the book. */
  referencePath: string | undefined;
  /** Undefined: detected. */
  sourceLang: string | undefined;
  targetLang: string;
  engines: readonly EngineConfig[];
  judge: EngineConfig | undefined;
  /** Of the operator's engines: goes over every translation, as in tasks. */
  editor: EngineConfig | undefined;
  characters: number;
  limits: Pick<SourceFile, 'maxCharacters' | 'maxArchiveBytes'>;
  /** What is being done, for somebody who waits. */
  onStep?: (step: string) => void;
}

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE like a task with this source */
export async function evaluateBook(order: EvaluationOrder): Promise<Evaluation> {
  const { engines, onStep = () => {} } = order;
  const { document, language } = await open(order.bookPath, order);
  const sourceLang = order.sourceLang ?? likelyLanguage(language, document.declaredLanguage);
  if (sourceLang === undefined) throw badRequest('The language of the book is not certain: say it with --from.');
  const targetLang = parseLanguage(order.targetLang)?.tag;
  if (targetLang === undefined) throw badRequest(`"${order.targetLang}" is no language that is known here.`);
  const passages = choosePassages(document, order.characters);
  if (passages.length === 0) throw badRequest('The book has no text to translate.');
  const reference = await referenceOf(order, document, passages);
  const pair = { document, sourceLang, targetLang };
  onStep('writing the sheet of the book');
  // A judge belongs to none of them.
  const written = await writeBookSheet([...(order.judge === undefined ? [] : [order.judge]), ...engines], pair);
  const sheet = written?.sheet;
  const translations = new Map<string, PassageTranslation>();
  // One after the other: the time of each is its own.
  for (const config of engines) {
    onStep(`translating with ${config.name}`);
    translations.set(config.name, await translatePassages(config, { ...pair, passages, sheet, editor: order.editor }));
  }
  const evaluated = passages.map(
    ({ kind, blocks }, at): EvaluatedPassage => ({
      kind,
      source: blocks.map(({ text }) => stripInlineTags(text)),
      translations: Object.fromEntries(
        [...translations].flatMap(([name, { texts }]) => (texts === undefined ? [] : [[name, texts[at] ?? []]])),
      ),
    }),
  );
  const done = [...translations].flatMap(([name, { texts }]) => (texts === undefined ? [] : [name]));
  const judge = order.judge && (await judged(order.judge, done, evaluated, { sourceLang, targetLang }, onStep));
  const scored = [...translations.values()].map(({ figures, texts }) => ({
    ...figures,
    ...(texts === undefined ? {} : scoresOf(texts.flat(), reference, targetLang)),
    ...(judge === undefined || texts === undefined ? {} : verdictsOn(figures.engine, judge)),
  }));
  return {
    book: {
      file: basename(order.bookPath),
      title: document.title ?? null,
      source_lang: sourceLang,
      target_lang: targetLang,
      characters: passages.reduce((sum, { characters }) => sum + characters, 0),
    },
    engines: ranked(scored),
    signatures: reference === undefined ? null : signaturesOf(targetLang),
    judge: judge ?? null,
    sheet: written === undefined ? null : { written_by: written.writtenBy, decisions: sheetLines(written.sheet) },
    compared_with: comparedWith(decisionsOf(sheet, targetLang)),
    editor: order.editor?.name ?? null,
    passages: evaluated,
  };
}

async function open(path: string, { limits }: Pick<EvaluationOrder, 'limits'>): ReturnType<typeof openJudgedSource> {
  return await openJudgedSource({
    path,
    fileName: basename(path),
    charLimit: undefined,
    skipFrontMatter: false,
    ...limits,
  });
}

/**
 * The sheet of the book, as a task of the whole book would have it. It is written once and is the same for all engines, so that they can be
 * compared. It is written by the first of the engines that can. Undefined where none can, or the book is too short for one.
 */
async function writeBookSheet(
  engines: readonly EngineConfig[],
  { document, sourceLang, targetLang }: { document: Document; sourceLang: string; targetLang: string },
): Promise<{ sheet: Sheet; writtenBy: string } | undefined> {
  const texts = [...blocksOf(document)].map(({ text }) => stripInlineTags(text));
  for (const config of engines) {
    const catalog = await catalogOf(config);
    try {
      const sheet = await sheetOf({
        ...{ sourceLang, targetLang, texts, core: [], known: undefined, isInSeries: false, saved: [] },
        writeSheet: (request) => catalog.writeSheet(request, caller),
        save: async () => {},
      });
      if (sheet !== undefined) return { sheet, writtenBy: config.name };
    } finally {
      catalog.close();
    }
  }
  return undefined;
}

/** The paragraphs of the reference that belong to the passages, as lines. */
async function referenceOf(
  order: EvaluationOrder,
  document: Document,
  passages: readonly Passage[],
): Promise<string[] | undefined> {
  if (order.referencePath === undefined) return undefined;
  const reference = await open(order.referencePath, order);
  const [own, others] = [[...blocksOf(document)], [...blocksOf(reference.document)]];
  if (own.length !== others.length)
    throw badRequest(
      `The reference has ${others.length} paragraphs and the book has ${own.length}: they must match one by one.`,
    );
  const places = new Map(own.map(({ id }, at) => [id, at]));
  return passages.flatMap(({ blocks }) =>
    blocks.map(({ id }) => asLine(stripInlineTags(others[places.get(id) ?? -1]?.text ?? ''))),
  );
}

function scoresOf(
  texts: readonly string[],
  reference: readonly string[] | undefined,
  targetLang: string,
): { bleu?: number; chrf?: number } {
  if (reference === undefined) return {};
  const lines = texts.map(asLine);
  return { bleu: bleu(lines, reference, tokenizerFor(targetLang)).score, chrf: chrF(lines, reference).score };
}

function signaturesOf(targetLang: string): Evaluation['signatures'] {
  return { bleu: bleu([''], [''], tokenizerFor(targetLang)).signature, chrf: chrF([''], ['']).signature };
}

function asLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

async function judged(
  config: EngineConfig,
  engines: readonly string[],
  passages: readonly EvaluatedPassage[],
  pair: { sourceLang: string; targetLang: string },
  onStep: (step: string) => void,
): Promise<Awaited<ReturnType<typeof judgePassages>>> {
  onStep(`judging with ${config.name}`);
  const catalog = await catalogOf(config);
  try {
    return await judgePassages(config.name, engines, passages, async (source, first, second) => {
      try {
        return (await catalog.compare({ ...pair, source, first, second }, caller)).better;
      } catch (error) {
        // What the judge cannot be asked about has no verdict; what is translated is shown all the same.
        if (error instanceof EngineError) return undefined;
        throw error;
      }
    });
  } finally {
    catalog.close();
  }
}
