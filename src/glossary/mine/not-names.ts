/** Words that are written with a capital and are still no names: days, months, languages, God, exclamations. */
import { baseCode } from '../../language/languages.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import notNames from './not-names.json' with { type: 'json' };

/** Lower-case words of the language that never are a name by themselves. */
export function neverNames(language: string): ReadonlySet<string> {
  return cache.getOrInsertComputed(baseCode(language), (code) => {
    const languages = languageNames(code);
    const listed = own[code]?.split(' ') ?? [];
    const words = [...stopWordsOf(code), ...calendarWords(code), ...everywhere, ...listed, ...languages];
    // Books have typographic apostrophes: I’ll, don’t.
    return new Set(words.flatMap((word) => [word, word.replaceAll("'", '’')]));
  });
}

const cache = new Map<string, ReadonlySet<string>>();

/** Months and days of the week, from the runtime's own data. */
function calendarWords(code: string): string[] {
  const words: string[] = [];
  for (const part of ['month', 'weekday'] as const) {
    const format = new Intl.DateTimeFormat(code, { [part]: 'long', timeZone: 'UTC' });
    for (let i = 0; i < 12; i++) {
      // The first of each month of 2024 and, since months differ in length, every day of the week among the days 1 to 12.
      words.push(format.format(Date.UTC(2024, part === 'month' ? i : 0, part === 'month' ? 1 : i + 1)));
    }
  }
  return words.map((word) => word.toLowerCase());
}

/** English writes languages with a capital, and French writes peoples so: "the French", "les Anglais". */
function languageNames(code: string): string[] {
  const names = new Intl.DisplayNames([code], { type: 'language' });
  const codes = 'en fr de es it pt nl da sv no fi ru pl cs hu tr ar he la el zh ja ko hi ro bg sr ga cy';
  return codes.split(' ').map((one) => (names.of(one) ?? '').toLowerCase());
}

const everywhere = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx etc ok'.split(' ');

/** By language. */
const own: Readonly<Record<string, string>> = notNames;
