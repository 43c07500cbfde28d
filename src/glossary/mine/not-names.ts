/** Words that are written with a capital and are still no names: days, months, languages, God, exclamations. */
import { baseCode } from '../../language/languages.ts';
import { stopWordsOf } from '../../language/stop-words.ts';

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

const own: Readonly<Record<string, string>> = {
  en: "god lord lordship ladyship heaven heavens majesty highness honour christ christmas sunday chapter part book prologue epilogue volume contents gutenberg project english irish scotch scottish american christian catholic jew jewish roman parliament i'm i'll i'd i've o yes no oh ah sir ma'am mamma papa",
  fr: 'dieu seigneur ciel providence majesté excellence altesse sire monseigneur monsieur madame mademoiselle messieurs mesdames mesdemoiselles chapitre tome livre partie oui non eh oh ah hé tiens allons enfin diable mordieu pardieu parbleu christ noël pâques éminence milord vierge empereur roi reine état église compagnie république assemblée sénat académie comte comtesse duc duchesse marquis marquise baron baronne vicomte vicomtesse cardinal évêque archevêque prince princesse',
  es: 'dios señor señora señorita señores cielo majestad excelencia merced vuestra vuesa capítulo parte libro don doña cristo virgen santísima santísimo navidad rey reina estado iglesia ay oh ah eh sí no pues usted ustedes vd vds v magistral provisor obispo arzobispo arcediano arcipreste deán canónigo penitenciario chantre cardenal prelado cabildo catedral seminario academia universidad casino naturaleza inquisición humanidad historia ilustrísima ilustrísimo señoría eminencia conde condesa marqués marquesa duque duquesa barón baronesa vizconde príncipe princesa general coronel capitán comandante alcalde gobernador ministro presidente primada jubilado administración audiencia ayuntamiento gobierno',
  it: 'dio iddio signore signora signorina signori signor cielo maestà eccellenza capitolo parte libro don donna madonna cristo vergine natale santa san santo oh ah eh provvidenza direttore re regina papa imperatore stato chiesa conte contessa marchese marchesa duca duchessa principe principessa cardinale vescovo arcivescovo parlamento camera senato natura umanità',
  pt: 'deus senhor senhora senhores céu majestade excelência capítulo parte livro dom dona cristo virgem natal oh ah eh',
  de: 'euerer euere eueren euerem ah ha he hm hurra pfui halt heil amen verzeihung geduld unsinn übrigens uebrigens ew sire excellenz nummer nr gott herr herrn herren frau fräulein herrgott himmel majestät hoheit exzellenz durchlaucht kapitel teil buch christus weihnachten ostern sie ihnen ihr ihre ihren ihrem ihrer ihres du dich dir dein euch euer ach oh ja nein pfarrer kandidat kandidaten lehrer direktor professor leutnant major oberst general rat hofrat geheimrat konsul prinz prinzessin könig königin kaiser minister präsident bürgermeister assessor inspektor verwalter wirt großmutter großvater mutter vater mama papa',
  zh: '明日 今日 昨日 次日 忽报 忽報 人报',
  ru: 'бог бога богу богом боге боже господь господи господа господу господин госпожа христос христа глава часть книга том ваше вашего ах ох эх ну да нет отче царь государь',
};
