import { appliedIn, foldTarget, leftoverOf, type TargetText, targetText } from '../../glossary/term-applied.ts';

/** A term that the source of a unit contains for certain. */
export interface ExpectedTerm {
  source: string;
  target: string;
  /** One part of the rendering is enough: an alias without a rendering of its own. */
  partial: boolean;
}

export function missedTerms<T extends ExpectedTerm>(translation: string, terms: readonly T[], targetLang: string): T[] {
  if (terms.length === 0) return [];
  const text = targetText(translation);
  return terms.filter(
    (term) => !appliedIn(text, term.target, targetLang, term.partial) || isHalfApplied(text, term, targetLang),
  );
}

function isHalfApplied(text: TargetText, term: ExpectedTerm, targetLang: string): boolean {
  return !term.partial && leftoverOf(text, term, targetLang) !== undefined;
}

/**
 * The text without what is left of source terms directly before or after their renderings. Only what is certain is taken out;
 * anything else is for the engine to put right.
 */
export function withoutLeftovers(text: string, terms: readonly ExpectedTerm[], targetLang: string): string {
  let mended = text;
  for (const term of missedTerms(text, terms, targetLang)) {
    for (let round = 0; round < 8; round++) {
      const word = leftoverOf(targetText(mended), term, targetLang);
      const written = word === undefined ? undefined : spellingIn(term.source, word);
      if (written === undefined) break;
      const [left, target] = [RegExp.escape(written), RegExp.escape(term.target)];
      const without = mended
        .replace(new RegExp(`(?<![\\p{L}\\p{M}])${left}(?:[ -](?:de|del|di|du|of))?[ -]+(?=${target})`, 'giu'), '')
        .replace(new RegExp(`(?<=${target})[ -]+${left}(?![\\p{L}\\p{M}])`, 'giu'), '');
      if (without === mended) break;
      mended = without;
    }
  }
  return mended;
}

function spellingIn(source: string, folded: string): string | undefined {
  return source.match(/[\p{L}\p{M}]+/gu)?.find((word) => foldTarget(word) === folded);
}
