/**
 * Where translators of novels stumble in a language pair, in a few sentences for the prompt; a pair gets only its own. The grammar is
 * common knowledge of the languages. The marks of dialogue follow what publishers' and proofreaders' pages on the French tiret and
 * guillemets and on the Spanish raya agree on. The Spanish pages repeat the Real Academia. The marks of dialogue in Chinese and Japanese
 * follow W3C's clreq and jlreq.
 */
import { baseCode } from './languages.ts';
import notes from './translation-notes.json' with { type: 'json' };

/** What each source hides. */
const from: Readonly<Record<string, string>> = notes.from;
/** What each target asks for. */
const into: Readonly<Record<string, string>> = notes.into;

export function translationNotes(sourceLang: string, targetLang: string): string[] {
  const [source, target] = [baseCode(sourceLang), baseCode(targetLang)];
  return [
    from[source],
    fullWidth.has(source) && !fullWidth.has(target) ? notes.fromFullWidth : undefined,
    gendered.has(target) && genderless.has(source) ? notes.genderFromNothing : undefined,
    into[target],
    gendered.has(target) ? notes.agreement : undefined,
    twoForms.has(target) && !twoForms.has(source) ? notes.addressFromContext : undefined,
    twoForms.has(source) && !twoForms.has(target) ? notes.addressToNothing : undefined,
  ].filter((note) => note !== undefined);
}

const fullWidth = new Set(['zh', 'ja', 'ko']);

const genderless = new Set(['zh', 'ja', 'ko', 'tr', 'fi', 'hu', 'et', 'fa', 'vi', 'th', 'id', 'ms']);

/** Verbs of the past or adjectives agree with the gender of persons, the speaker's too. */
const gendered = new Set(
  'fr es pt it ca gl ro ru uk be pl cs sk sl hr sr bs bg mk lt lv ar he hi ur mr gu pa'.split(' '),
);

/** Languages whose "you" shows nearness or distance. */
const twoForms = new Set(
  'de fr es pt it ca gl ro ru uk be pl cs sk sl hr sr bs bg mk lt lv nl da fi et hu tr el hi ur fa zh ja ko vi id'.split(
    ' ',
  ),
);
