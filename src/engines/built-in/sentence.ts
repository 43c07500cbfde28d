/** A piece of text on its way through the model: what it must have, and the best answer so far. */
import { stripInlineTags } from '../../inline-tags.ts';
import { closeSpeech, isInventedHeading, lostSentences } from './lost-sentences.ts';
import {
  missingTerms,
  replaceStranger,
  separateNames,
  settleSpelling,
  substituteTerm,
  withoutDoubledNames,
  withoutHalfTerms,
} from './name-repairs.ts';
import { normalizeSource } from './normalize.ts';
import type { Piece } from './pieces.ts';
import { findTermPlaces, type TermPair } from './term-places.ts';

/** What a block is translated by: nothing else decides what becomes of it. */
export interface BlockContext {
  sourceLang: string;
  targetLang: string;
  /** Those that occur in the block. */
  terms: readonly TermPair[];
}

export interface Sentence {
  context: BlockContext;
  piece: Piece;
  /** As the model reads it. */
  source: string;
  targets: string[];
  best: { text: string; weight: number } | undefined;
}

export function sentenceOf(piece: Piece, context: BlockContext): Sentence {
  const plain = normalizeSource(piece.text);
  const { before = false, after = false } = piece.spoken ?? {};
  const source = (before ? '"' : '') + plain + (after ? '"' : '');
  const targets = findTermPlaces(stripInlineTags(source), context.terms, context.sourceLang).map(
    ({ target }) => target,
  );
  // Numbers and ornaments stay as they are; so does what is no language the model knows: it would invent.
  const best = isForeign(stripInlineTags(source)) ? { text: piece.text, weight: 0 } : undefined;
  return { context, piece, source, targets, best };
}

/** A missing name weighs more than a lost sentence, and that more than lost formatting, which can be put back. */
const nameWeight = 100;
export const lossWeight = 10;

export function lacksName({ best }: Sentence): boolean {
  return best !== undefined && best.weight >= nameWeight;
}

/** Keeps the better of two answers. */
export function consider(sentence: Sentence, answer: string): void {
  const { targets, context, piece } = sentence;
  const { targetLang } = context;
  const source = stripInlineTags(sentence.source);
  const text = withoutAddedMarks(answer, piece);
  const separated = separateNames(text, targets, source, targetLang);
  const named = withNames(settleSpelling(separated, targets, source, targetLang), targets, surelyMeant, targetLang);
  const clean = stripInlineTags(named);
  if (clean.trim() === '' || /[⟦⟧]/u.test(clean)) return;
  const tagsLost = source !== sentence.source && clean === named;
  const lost = isInventedHeading(source, clean) ? 1 : lostSentences(source, clean, context);
  const weight = nameWeight * missingTerms(clean, targets, targetLang).length + lossWeight * lost + (tagsLost ? 1 : 0);
  if (sentence.best === undefined || weight < sentence.best.weight) sentence.best = { text: named, weight };
}

/** Marks of speech that were put around a part of it for the model's sake are none of the text's. */
function withoutAddedMarks(answer: string, { spoken }: Piece): string {
  const begun = spoken?.before === true ? answer.replace(/^((?:<\d{1,6}>)*)["—–-]\s*/u, '$1') : answer;
  return spoken?.after === true && begun.split('"').length % 2 === 0 ? begun.replace(/"\s*$/u, '') : begun;
}

/** Renderings that the best answer does not have. */
export function missingIn({ best, targets, context }: Sentence): Set<string> {
  return new Set(missingTerms(stripInlineTags(best?.text ?? ''), targets, context.targetLang));
}

/** A misspelt name, or another in its place, is what the missing one was meant to be. */
export function guessNames(sentence: Sentence): void {
  if (sentence.best === undefined) return;
  const { targets, context } = sentence;
  consider(sentence, withNames(sentence.best.text, targets, perhapsMeant, context.targetLang));
  const [target, ...more] = missingIn(sentence);
  if (target === undefined || more.length > 0) return;
  const source = stripInlineTags(sentence.source);
  const text = replaceStranger(sentence.best.text, target, targets, source, context.targetLang);
  if (text !== undefined) consider(sentence, text);
}

/** The answer with all that can be mended in it. `alone`: it is a whole paragraph. */
export function finished({ best, targets, piece, context }: Sentence, alone: boolean): string {
  let text = best?.text ?? '';
  if (text === piece.text) return text;
  text = withoutDoubledNames(withNames(text, targets, perhapsMeant, context.targetLang), targets);
  text = withoutHalfTerms(
    text,
    context.terms.filter(({ target }) => targets.includes(target)),
  );
  return alone ? closeSpeech(piece.text, text) : text;
}

/** "Thomas" was meant to be Tomás: a third of the letters differ at most. At the end, half of them may. */
const surelyMeant = 0.34;
const perhapsMeant = 0.5;

function withNames(translation: string, targets: readonly string[], furthest: number, targetLang: string): string {
  let text = translation;
  for (const target of missingTerms(stripInlineTags(text), targets, targetLang)) {
    const others = targets.filter((other) => other !== target);
    text = substituteTerm(text, target, others, targetLang, furthest) ?? text;
  }
  return text;
}

/** Words beyond this are no words: keys, addresses, a cat on the keyboard. */
const longestWord = 80;

function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const known = text.match(/[\p{Script=Latin}\p{Script=Cyrillic}]/gu)?.length ?? 0;
  return letters === 0 || known * 2 < letters || text.split(' ').some((word) => word.length > longestWord);
}
