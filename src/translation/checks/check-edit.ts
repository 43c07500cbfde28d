/** Whether a changed translation may take the place of the one that stood: it says the same, and is no worse. */
import { stripInlineTags } from '../../inline-tags.ts';
import { splitSentences } from '../../language/sentences.ts';
import { type ExpectedTerm, missedTerms } from './expected-term.ts';

export interface EditedText {
  /** All three with inline tags. */
  source: string;
  was: string;
  is: string;
  expected: readonly ExpectedTerm[];
}

/** Beyond these a change is a new translation, or has lost something. */
const shortest = 0.8;
const longest = 1.25;

/** The checks of a single text (`checkUnit`) come on top. */
export function isSoundEdit({ source, was, is, expected }: EditedText, targetLang: string): boolean {
  const [old, edited] = [stripInlineTags(was), stripInlineTags(is)];
  if (edited.length < old.length * shortest || edited.length > old.length * longest) return false;
  const missed = (text: string): number => missedTerms(text, expected, targetLang).length;
  if (missed(edited) > missed(old)) return false;
  // Two sentences made one are refused with it: nobody can tell that from a sentence left out.
  if (sentences(edited, targetLang) < sentences(old, targetLang)) return false;
  return namesIn(stripInlineTags(source)).every((name) => !old.includes(name) || edited.includes(name));
}

function sentences(text: string, language: string): number {
  return splitSentences(text, language).length;
}

/** Words with a capital letter: where source and translation share one, it is a name. */
function namesIn(source: string): string[] {
  return source.match(/\p{Lu}[\p{L}\p{M}]{2,}/gu) ?? [];
}
