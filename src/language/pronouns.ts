/** Where a person who was named may be called by a pronoun, or not at all. */
import { baseCode } from './languages.ts';
import thirdPersons from './pronouns.json' with { type: 'json' };

/** Words for a third person; articles that look the same are left out. */
const pronouns: Readonly<Record<string, string>> = thirdPersons;

/** Languages that leave the subject out where it is clear: a sentence without a pronoun may mean the person. */
const withoutSubjects: ReadonlySet<string> = new Set(
  'es it pt ro ca gl pl cs sk sl hr sr bs bg mk el tr fi hu ja ko zh ar he fa hi vi th'.split(' '),
);

/** Whether a sentence of this text can speak of a person whom it does not name. */
export function mayStandForNames(text: string, language: string): boolean {
  const code = baseCode(language);
  if (withoutSubjects.has(code)) return true;
  const words = pronouns[code];
  return words !== undefined && new RegExp(`(?<![\\p{L}\\p{M}])(?:${words})(?![\\p{L}\\p{M}])`, 'iu').test(text);
}
