/**
 * Blocks in, blocks out, over a model that knows sentences: cuts, batches, tries again what came back wrong, and puts
 * paragraphs together again. Everything here depends on the request alone.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { splitSentences, splitText } from '../../language/sentences.ts';
import { planBatches } from './batches.ts';
import { readHeading } from './chapter-headings.ts';
import type { DraftModel } from './draft-model.ts';
import { titleCase, typesetEnglish } from './english.ts';
import { asSpoken, closeSpeech, joinSpoken, lostSentences } from './lost-sentences.ts';
import { maxModelTags, toModelTags, withoutModelTags } from './model-tags.ts';
import { missingTerms, separateNames, settleSpelling, substituteTerm, withoutDoubledNames } from './name-repairs.ts';
import { normalizeSource } from './normalize.ts';
import { cutPieces, maxPieceTokens, type Piece } from './pieces.ts';
import { annotateTerms, maskTerms } from './term-marks.ts';
import { findTermPlaces, type TermPair, type TermPlace } from './term-places.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface DraftRequest {
  sourceLang: string;
  blocks: readonly { id: string; text: string }[];
  terms: readonly TermPair[];
  beam: number;
}

export interface DraftAnswer {
  /** Blocks of which a part could not be translated are absent. */
  translations: Map<string, string>;
  inputTokens: number;
  outputTokens: number;
}

/** What a second try may take: four beginnings at once. */
const carefulBeam = 4;

interface Sentence {
  piece: Piece;
  source: string;
  targets: string[];
  best: { text: string; weight: number } | undefined;
}

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
  const settle = async (sentences: readonly Sentence[]): Promise<void> => {
    const unhappy = (): Sentence[] => sentences.filter(({ best }) => best === undefined || best.weight > 0);
    await tryWay(unhappy(), sparinglyAnnotated, request.beam);
    await tryWay(unhappy(), annotated, carefulBeam);
    await tryWay(unhappy(), masked, 1);
    await tryWay(unhappy(), plain, carefulBeam);
    await tryWay(unhappy().filter(lacksName), masked, carefulBeam);
  };
  /** What a long text loses, its parts one by one usually keep. */
  const settleParts = async (wholes: readonly Sentence[], cut: (whole: Sentence) => Sentence[]): Promise<void> => {
    const divided = wholes.map((whole) => ({ whole, parts: cut(whole) })).filter(({ parts }) => parts.length > 1);
    await settle(divided.flatMap(({ parts }) => parts));
    for (const { whole, parts } of divided) {
      const texts = parts.flatMap(({ best }) => best?.text ?? []);
      if (texts.length === parts.length) consider(whole, joinSpoken(texts));
    }
  };
  const sentences = blocks.flatMap((block) => block.sentences);
  await settle(sentences);
  await settleParts(
    sentences.filter(({ best }) => best === undefined || best.weight >= lossWeight),
    (whole) => sentencesOf(whole, request),
  );
  // A name outweighs style: clause by clause it is hardly ever lost.
  await settleParts(sentences.filter(lacksName), (whole) => clausesOf(whole, request));

  const translations = new Map<string, string>();
  for (const { id, lead, sentences: own } of blocks) {
    if (own.some(({ best }) => best === undefined)) continue;
    const text = own.map((sentence) => finished(sentence, own.length === 1) + sentence.piece.after).join('');
    translations.set(id, lead === undefined ? text : lead + titleCase(text));
  }
  return { translations, ...usage };
}

function sentenceOf(piece: Piece, request: DraftRequest): Sentence {
  const source = normalizeSource(piece.text);
  const targets = findTermPlaces(stripInlineTags(source), request.terms, request.sourceLang).map(
    ({ target }) => target,
  );
  // Numbers and ornaments stay as they are; so does what is no language the model knows: it would invent.
  const best = isForeign(stripInlineTags(source)) ? { text: piece.text, weight: 0 } : undefined;
  return { piece, source, targets, best };
}

function sentencesOf({ piece }: Sentence, request: DraftRequest): Sentence[] {
  return spokenParts(piece, splitSentences(piece.text, request.sourceLang), request);
}

function clausesOf({ piece }: Sentence, request: DraftRequest): Sentence[] {
  const text = stripInlineTags(piece.text);
  return spokenParts(piece, splitText(text, request.sourceLang, clauseCharacters), request);
}

/** About a dozen words. */
const clauseCharacters = 80;

function spokenParts(piece: Piece, parts: readonly string[], request: DraftRequest): Sentence[] {
  const trimmed = parts.map((part) => part.trim()).filter((part) => part !== '');
  return asSpoken(piece.text, trimmed).map((text) => sentenceOf({ text, after: '' }, request));
}

/**
 * A way to put a sentence to the model, and to read its answer: with the tags of the source, or without any. Undefined when
 * another way is the same.
 */
type Way = (
  sentence: Sentence,
  request: DraftRequest,
) => { text: string; read(translation: string): string } | undefined;

const annotated = annotating(() => true);

/**
 * Told "château d'If ⟦ If ⟧", the model takes the name for the whole and writes "the If". So names behind a "d'" are told only
 * when they were missed.
 */
const sparinglyAnnotated = annotating((text, { start }) => !/\bd'$/iu.test(text.slice(Math.max(0, start - 3), start)));

function annotating(isTold: (text: string, place: TermPlace) => boolean): Way {
  return ({ source }, { terms, sourceLang }) => {
    const tagged = toModelTags(source);
    const text = tagged?.text ?? stripInlineTags(source);
    const places = findTermPlaces(text, terms, sourceLang).filter((place) => isTold(text, place));
    return {
      text: annotateTerms(text, places),
      read: (translation) => tagged?.restore(translation) ?? withoutModelTags(translation),
    };
  };
}

const masked: Way = ({ source, targets }, { terms, sourceLang }) => {
  const text = stripInlineTags(source);
  if (targets.length === 0) return undefined;
  const mask = maskTerms(text, findTermPlaces(text, terms, sourceLang), 0, maxModelTags);
  return mask === undefined
    ? undefined
    : { text: mask.text, read: (translation) => withoutModelTags(mask.unmask(translation)) };
};

const plain: Way = ({ source }, { terms, sourceLang }) => {
  const text = stripInlineTags(source);
  if (text === source) return undefined;
  return {
    text: annotateTerms(text, findTermPlaces(text, terms, sourceLang)),
    read: withoutModelTags,
  };
};

/** A missing name weighs more than a lost sentence, and that more than lost formatting, which can be put back. */
const nameWeight = 100;
const lossWeight = 10;

function lacksName({ best }: Sentence): boolean {
  return best !== undefined && best.weight >= nameWeight;
}

/** Keeps the better of two answers. */
function consider(sentence: Sentence, text: string): void {
  const source = stripInlineTags(sentence.source);
  const separated = separateNames(text, sentence.targets, source);
  const named = withNames(settleSpelling(separated, sentence.targets, source), sentence.targets, surelyMeant);
  const clean = stripInlineTags(named);
  if (clean.trim() === '' || /[⟦⟧]/u.test(clean)) return;
  const tagsLost = source !== sentence.source && clean === named;
  const weight =
    nameWeight * missingTerms(clean, sentence.targets).length +
    lossWeight * lostSentences(source, clean) +
    (tagsLost ? 1 : 0);
  if (sentence.best === undefined || weight < sentence.best.weight) sentence.best = { text: named, weight };
}

function finished({ best, targets, piece }: Sentence, alone: boolean): string {
  let text = best?.text ?? '';
  if (text === piece.text) return text;
  text = withoutDoubledNames(withNames(text, targets, perhapsMeant), targets);
  return typesetEnglish(alone ? closeSpeech(piece.text, text) : text);
}

/** "Thomas" was meant to be Tomás: a third of the letters differ at most. At the end, half of them may. */
const surelyMeant = 0.34;
const perhapsMeant = 0.5;

function withNames(translation: string, targets: readonly string[], furthest: number): string {
  let text = translation;
  for (const target of missingTerms(stripInlineTags(text), targets)) {
    const others = targets.filter((other) => other !== target);
    text = substituteTerm(text, target, others, furthest) ?? text;
  }
  return text;
}

/** A translation of less than a third of its source has lost clauses; very short sentences may shrink to one word. */
function isTooShort(sourceTokens: number, translatedTokens: number): boolean {
  return translatedTokens === 0 || (sourceTokens >= 12 && translatedTokens * 3 < sourceTokens);
}

/** Words beyond this are no words: keys, addresses, a cat on the keyboard. */
const longestWord = 80;

function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const known = text.match(/[\p{Script=Latin}\p{Script=Cyrillic}]/gu)?.length ?? 0;
  return letters === 0 || known * 2 < letters || text.split(' ').some((word) => word.length > longestWord);
}
