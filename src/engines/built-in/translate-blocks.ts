/**
 * Blocks in, blocks out, over a model that knows sentences: cuts, batches, tries again what came back wrong, and puts
 * paragraphs together again. What becomes of a block depends on the block and its terms alone.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { splitSentences, splitText } from '../../language/sentences.ts';
import { paddedLength } from './decoding.ts';
import { type DraftRequest, openBlock } from './draft-block.ts';
import type { DraftModel } from './draft-model.ts';
import { asPart, asSpoken, joinSpoken } from './lost-sentences.ts';
import { normalizeSource } from './normalize.ts';
import { markSpeech, maxPieceTokens } from './pieces.ts';
import { consider, guessNames, lacksName, lossWeight, missingIn, type Sentence, sentenceOf } from './sentence.ts';
import { findTermPlaces, type TermPlace } from './term-places.ts';
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
  const blocks = request.blocks.map((block) => openBlock(block, request, count));

  const tryWay = async (among: readonly Sentence[], way: Way, beam: number): Promise<void> => {
    const inputs = among.flatMap((sentence) => {
      const asked = way(sentence);
      const tokens = asked === undefined ? [] : tokenizer.encode(asked.text);
      return asked === undefined || tokens.length > maxPieceTokens + 8 ? [] : [{ sentence, asked, tokens }];
    });
    const lengths = inputs.map(({ tokens }) => tokens.length);
    for (const batch of planBatches(lengths, beam)) {
      signal?.throwIfAborted();
      const members = batch.flatMap((i) => inputs[i] ?? []);
      const answers = await model.translate(
        members.map(({ tokens }) => tokens),
        { into: request.targetLang, beam },
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
    cut: (whole: Sentence) => Sentence[],
    beam: number,
  ): Promise<void> => {
    const divided = wholes.map((whole) => ({ whole, parts: cut(whole) })).filter(({ parts }) => parts.length > 1);
    await settle(
      divided.flatMap(({ parts }) => parts),
      beam,
    );
    for (const { whole, parts } of divided) {
      const texts = parts.flatMap(({ best, source }, i) =>
        best === undefined ? [] : asPart(source, best.text, i === parts.length - 1, request.targetLang),
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
  for (const block of blocks) {
    const text = block.close();
    if (text !== undefined) translations.set(block.id, text);
  }
  return { translations, ...usage };
}

/** A translation of less than a third of its source has lost clauses; very short sentences may shrink to one word. */
function isTooShort(sourceTokens: number, translatedTokens: number): boolean {
  return translatedTokens === 0 || (sourceTokens >= 12 && translatedTokens * 3 < sourceTokens);
}

/** With padding. More would not be faster, and takes memory. */
const batchTokens = 1_024;

/**
 * Positions in `lengths`, batch by batch: sentences of the same length with padding are computed together, which makes no difference to
 * any of them.
 */
export function planBatches(lengths: readonly number[], beam: number): number[][] {
  const classes = Map.groupBy(lengths.keys(), (i) => paddedLength(lengths[i] ?? 0));
  return [...classes]
    .sort(([one], [other]) => one - other)
    .flatMap(([padded, own]) => {
      const size = Math.max(1, Math.floor(batchTokens / (padded * beam)));
      return Array.from({ length: Math.ceil(own.length / size) }, (_, i) => own.slice(i * size, (i + 1) * size));
    });
}

/** Where a sentence that came back wanting is cut, to be asked for part by part. */
export function sentencesOf(whole: Sentence): Sentence[] {
  return spokenParts(whole, splitSentences(whole.piece.text, whole.context.sourceLang));
}

function clausesOf(whole: Sentence): Sentence[] {
  const text = stripInlineTags(whole.piece.text);
  return spokenParts(whole, splitText(text, whole.context.sourceLang, clauseCharacters));
}

/** A name at the end is overlooked less often than one in the middle. */
function cutBehindNames(whole: Sentence): Sentence[] {
  const text = plainText(whole);
  const ends = missedPlaces(whole, text).map(({ end }) => behindMarks(text, end));
  return spokenParts(
    whole,
    [0, ...ends].map((start, i) => text.slice(start, ends[i])),
  );
}

/** The names stay as they are. */
function cutAroundNames(whole: Sentence): Sentence[] {
  const text = plainText(whole);
  let from = 0;
  const parts: Sentence[] = [];
  for (const { start, end, target } of missedPlaces(whole, text)) {
    const next = behindMarks(text, end);
    parts.push(...spokenParts(whole, [text.slice(from, start).replace(/\p{L}+'$/u, '')]));
    const name = { text: target + text.slice(end, next), weight: 0 };
    parts.push({ ...sentenceOf({ text: target, after: '' }, whole.context), best: name });
    from = next;
  }
  return [...parts, ...spokenParts(whole, [text.slice(from)])];
}

function plainText({ piece }: Sentence): string {
  return stripInlineTags(normalizeSource(piece.text));
}

function missedPlaces(whole: Sentence, text: string): TermPlace[] {
  const missing = missingIn(whole);
  const { terms, sourceLang } = whole.context;
  return findTermPlaces(text, terms, sourceLang).filter(({ target }) => missing.has(target));
}

function behindMarks(text: string, end: number): number {
  return end + (/^[,.;:!?…")\]]*/u.exec(text.slice(end))?.[0].length ?? 0);
}

/** About a dozen words. */
const clauseCharacters = 80;

function spokenParts({ piece, context }: Sentence, parts: readonly string[]): Sentence[] {
  const trimmed = parts.map((part) => part.trim()).filter((part) => part !== '');
  const spoken = asSpoken(piece.text, trimmed).map((text) => ({ text, after: '' }));
  const open = piece.spoken?.before ?? false;
  return markSpeech(spoken, context.sourceLang, open).map((part) => sentenceOf(part, context));
}
