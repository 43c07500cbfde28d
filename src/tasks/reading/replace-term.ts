import { tokenizeInline } from '../../inline-tags.ts';

export interface Replacement {
  /** As it stands in the glossary. */
  source: string;
  from: string;
  to: string;
}

/** Whole words where the script has words: `Ana` is not part of `Anatolia`. Inline tags are never touched. */
export function replacedIn(target: string, { from, to }: Replacement): string {
  const form = escapedForm(from, 'gu');
  return tokenizeInline(target)
    .map((token) => (token.kind === 'text' ? token.text.replace(form, () => to) : token.raw))
    .join('');
}

export function escapedForm(text: string, flags: unknown = 'u'): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const hasWords = /^[\p{L}\p{N}]/u.test(text) && !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(text);
  const pattern = hasWords ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
  return new RegExp(pattern, typeof flags === 'string' ? flags : 'u');
}
