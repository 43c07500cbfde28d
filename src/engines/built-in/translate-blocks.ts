/**
 * Blocks in, blocks out, over a model that knows sentences: cuts, batches, tries again what came back wrong, and puts
 * paragraphs together again. Everything here depends on the request alone.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { planBatches } from './batches.ts';
import { readHeading } from './chapter-headings.ts';
import type { DraftModel } from './draft-model.ts';
import { titleCase } from './english.ts';
import { asPart, joinSpoken } from './lost-sentences.ts';
import { normalizeSource } from './normalize.ts';
import { cutPieces, maxPieceTokens } from './pieces.ts';
import {
  consider,
  type DraftRequest,
  finished,
  guessNames,
  lacksName,
  lossWeight,
  type Sentence,
  sentenceOf,
} from './sentence.ts';
import { clausesOf, cutAroundNames, cutBehindNames, sentencesOf } from './sentence-parts.ts';
import type { Tokenizer } from './tokenizer.ts';
import { annotated, masked, maskedWhereMissing, plain, sparinglyAnnotated, type Way } from './ways.ts';

export interface DraftAnswer {
  /** Blocks of which a part could not be translated are absent. */
  translations: Map<string, string>;
  inputTokens: number;
  outputTokens: number;
}

/** What a second try may take: four beginnings at once. */
const carefulBeam = 4;

/** @throws the signal's reason, between two batches */
export async function translateBlocks(
  request: DraftRequest,
  { model, tokenizer }: { model: DraftModel; tokenizer: Tokenizer },
  signal?: AbortSignal,
): Promise<DraftAnswer> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const count = (text: string): number => tokenizer.encode(normalizeSource(stripInlineTags(text))).length;
  const blocks = request.blocks.map(({ id, text }) => {
    const heading = readHeading(text, baseCode(request.sourceLang));
    const pieces = cutPieces(heading?.rest ?? text, request.sourceLang, count);
    return { id, lead: heading?.english, sentences: pieces.map((piece) => sentenceOf(piece, request)) };
  });

  const tryWay = async (among: readonly Sentence[], way: Way, beam: number): Promise<void> => {
    const inputs = among.flatMap((sentence) => {
      const asked = way(sentence, request);
      const tokens = asked === undefined ? [] : tokenizer.encode(asked.text);
      return asked === undefined || tokens.length > maxPieceTokens + 8 ? [] : [{ sentence, asked, tokens }];
    });
    const lengths = inputs.map(({ tokens }) => tokens.length);
    for (const batch of planBatches(lengths, beam)) {
      signal?.throwIfAborted();
      const members = batch.flatMap((i) => inputs[i] ?? []);
      const answers = await model.translate(
        members.map(({ tokens }) => tokens),
        beam,
      );
      for (const [i, { sentence, asked, tokens }] of members.entries()) {
        const { tokens: answer = [], ended = false } = answers[i] ?? {};
        usage.inputTokens += tokens.length;
        usage.outputTokens += answer.length;
        if (!ended || isTooShort(tokens.length, answer.length)) continue;
        consider(sentence, asked.read(tokenizer.decode(answer)));
      }
    }
  };
  /** `beam`: of the second try, which takes most of the time. */
  const settle = async (sentences: readonly Sentence[], beam: number): Promise<void> => {
    const unhappy = (): Sentence[] => sentences.filter(({ best }) => best === undefined || best.weight > 0);
    await tryWay(unhappy(), sparinglyAnnotated, request.beam);
    await tryWay(unhappy(), annotated, beam);
    await tryWay(unhappy(), maskedWhereMissing, 1);
    await tryWay(unhappy(), masked, 1);
    await tryWay(unhappy(), plain, beam);
    for (const sentence of unhappy()) guessNames(sentence);
  };
  /** What a long text loses, its parts one by one usually keep. */
  const settleParts = async (
    wholes: readonly Sentence[],
    cut: (whole: Sentence, request: DraftRequest) => Sentence[],
    beam: number,
  ): Promise<void> => {
    const divided = wholes
      .map((whole) => ({ whole, parts: cut(whole, request) }))
      .filter(({ parts }) => parts.length > 1);
    await settle(
      divided.flatMap(({ parts }) => parts),
      beam,
    );
    for (const { whole, parts } of divided) {
      const texts = parts.flatMap(({ best, source }, i) =>
        best === undefined ? [] : asPart(source, best.text, i === parts.length - 1),
      );
      if (texts.length === parts.length) consider(whole, joinSpoken(texts));
    }
  };
  const sentences = blocks.flatMap((block) => block.sentences);
  await settle(sentences, carefulBeam);
  const lossy = sentences.filter(({ best }) => best === undefined || best.weight >= lossWeight);
  await settleParts(lossy, sentencesOf, carefulBeam);
  // A name outweighs style: clause by clause it is hardly ever lost, at the end of a part even less, alone never.
  const nameless = (): Sentence[] => sentences.filter((one) => one.best === undefined || lacksName(one));
  await settleParts(nameless(), clausesOf, 1);
  await settleParts(nameless().filter(lacksName), cutBehindNames, 1);
  await settleParts(nameless().filter(lacksName), cutAroundNames, 1);

  const translations = new Map<string, string>();
  for (const { id, lead, sentences: own } of blocks) {
    if (own.some(({ best }) => best === undefined)) continue;
    const text = own.map((sentence) => finished(sentence, own.length === 1) + sentence.piece.after).join('');
    translations.set(id, lead === undefined ? text : lead + titleCase(text));
  }
  return { translations, ...usage };
}

/** A translation of less than a third of its source has lost clauses; very short sentences may shrink to one word. */
function isTooShort(sourceTokens: number, translatedTokens: number): boolean {
  return translatedTokens === 0 || (sourceTokens >= 12 && translatedTokens * 3 < sourceTokens);
}
