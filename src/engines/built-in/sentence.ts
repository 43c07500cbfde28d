/** A piece of text on its way through the model: what it must have, and the best answer so far. */
import { stripInlineTags } from '../../inline-tags.ts';
import { typesetEnglish } from './english.ts';
import { closeSpeech, lostSentences } from './lost-sentences.ts';
import {
  missingTerms,
  replaceStranger,
  separateNames,
  settleSpelling,
  substituteTerm,
  withoutDoubledNames,
} from './name-repairs.ts';
import { normalizeSource } from './normalize.ts';
import type { Piece } from './pieces.ts';
import { findTermPlaces, type TermPair } from './term-places.ts';

export interface DraftRequest {
  sourceLang: string;
  blocks: readonly { id: string; text: string }[];
  terms: readonly TermPair[];
  beam: number;
}

export interface Sentence {
  piece: Piece;
  source: string;
  targets: string[];
  best: { text: string; weight: number } | undefined;
}

export function sentenceOf(piece: Piece, request: DraftRequest): Sentence {
  const source = normalizeSource(piece.text);
  const targets = findTermPlaces(stripInlineTags(source), request.terms, request.sourceLang).map(
    ({ target }) => target,
  );
  // Numbers and ornaments stay as they are; so does what is no language the model knows: it would invent.
  const best = isForeign(stripInlineTags(source)) ? { text: piece.text, weight: 0 } : undefined;
  return { piece, source, targets, best };
}

/** A missing name weighs more than a lost sentence, and that more than lost formatting, which can be put back. */
const nameWeight = 100;
export const lossWeight = 10;

export function lacksName({ best }: Sentence): boolean {
  return best !== undefined && best.weight >= nameWeight;
}

/** Keeps the better of two answers. */
export function consider(sentence: Sentence, text: string): void {
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

/** Renderings that the best answer does not have. */
export function missingIn({ best, targets }: Sentence): Set<string> {
  return new Set(missingTerms(stripInlineTags(best?.text ?? ''), targets));
}

/** A misspelt name, or another in its place, is what the missing one was meant to be. */
export function guessNames(sentence: Sentence): void {
  if (sentence.best === undefined) return;
  consider(sentence, withNames(sentence.best.text, sentence.targets, perhapsMeant));
  const [target, ...more] = missingIn(sentence);
  if (target === undefined || more.length > 0) return;
  const text = replaceStranger(sentence.best.text, target, sentence.targets, stripInlineTags(sentence.source));
  if (text !== undefined) consider(sentence, text);
}

/** As it is printed. `alone`: it is a whole paragraph. */
export function finished({ best, targets, piece }: Sentence, alone: boolean): string {
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

/** Words beyond this are no words: keys, addresses, a cat on the keyboard. */
const longestWord = 80;

function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const known = text.match(/[\p{Script=Latin}\p{Script=Cyrillic}]/gu)?.length ?? 0;
  return letters === 0 || known * 2 < letters || text.split(' ').some((word) => word.length > longestWord);
}
