/** Where a person who was named may be called by a pronoun, or not at all. */
import { baseCode } from './languages.ts';

/** Words for a third person; articles that look the same are left out. */
const pronouns: Readonly<Record<string, string>> = {
  en: 'he|him|his|himself|she|her|hers|herself|they|them|their|theirs|themselves',
  de: 'er|ihn|ihm|sein|seine|seinen|seinem|seiner|seines|sie|ihr|ihre|ihren|ihrem|ihrer|ihres|ihnen',
  fr: 'il|lui|elle|ils|elles|eux|leur|son|sa|ses',
  nl: 'hij|hem|zijn|zij|ze|haar|hen|hun',
  sv: 'han|honom|hans|hon|henne|hennes|de|dem|deras',
  da: 'han|ham|hans|hun|hende|hendes|de|dem|deres',
  nb: 'han|ham|hans|hun|henne|hennes|de|dem|deres',
  ru: 'он|его|него|ему|нему|им|ним|нём|нем|она|её|ее|неё|нее|ей|ней|они|их|них|ими|ними',
  uk: 'він|його|нього|йому|ним|ньому|вона|її|неї|їй|ній|вони|їх|них|ними',
};

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
