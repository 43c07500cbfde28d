import { isTooLong, tooLong } from '../correction.ts';
import { tokenizeInline } from '../inline-tags.ts';
import type { CorrectableBlock, TakenText } from '../interchange/match-corrections.ts';

export interface Replacement {
  /** As it stands in the glossary. */
  source: string;
  from: string;
  to: string;
}

/**
 * The paragraphs that change when one rendering of a name is written in place of another, wherever the name stands in the source.
 * @param forms of the name in the source
 * @throws BAD_REQUEST for a paragraph that would be too long
 */
export function replaceTerm(
  blocks: readonly CorrectableBlock[],
  forms: readonly string[],
  replacement: Replacement,
): TakenText[] {
  const sources = forms.map((form) => escapedForm(form));
  const texts: TakenText[] = [];
  for (const { id, source, target: before } of blocks) {
    if (!sources.some((form) => form.test(source))) continue;
    const target = replacedIn(before, replacement);
    if (target === before) continue;
    if (isTooLong(target, source)) throw tooLong(id, source);
    texts.push({ source, target, before: [before], blockIds: [id], isOfText: false });
  }
  return texts;
}

/** Whole words where the script has words: `Ana` is not part of `Anatolia`. Inline tags are never touched. */
export function replacedIn(target: string, { from, to }: Replacement): string {
  const form = escapedForm(from, 'gu');
  return tokenizeInline(target)
    .map((token) => (token.kind === 'text' ? token.text.replace(form, () => to) : token.raw))
    .join('');
}

function escapedForm(text: string, flags = 'u'): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const hasWords = /^[\p{L}\p{N}]/u.test(text) && !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(text);
  const pattern = hasWords ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
  return new RegExp(pattern, flags);
}
