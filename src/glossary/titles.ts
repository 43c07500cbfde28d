/** Forms of address that stick to names and are no part of them. */
const male =
  'mr|mister|sir|lord|king|prince|duke|count|baron|emperor|father|brother|uncle|master|monsieur|m|mgr|monseigneur|comte|marquis|duc|abbé|père|herr|herrn|graf|freiherr|herzog|fürst|onkel|vetter|don|señor|sr|conde|padre|fray|signor|signore|sig|conte|cavaliere|fra|senhor|dom|господин|князь|граф|барон|король|отец|дядя|pan';
const female =
  'mrs|ms|miss|madam|madame|mme|mademoiselle|mlle|lady|dame|queen|princess|duchess|countess|baroness|empress|sister|mother|aunt|mistress|comtesse|marquise|mère|frau|fräulein|frl|miß|mistreß|missis|mamsell|gräfin|herzogin|fürstin|baronin|tante|doña|dña|señora|sra|señorita|srta|condesa|signora|signorina|donna|contessa|madonna|senhora|dona|госпожа|княгиня|княжна|графиня|баронесса|королева|тетя|pani';
const either =
  'dr|doctor|prof|professor|captain|colonel|major|general|lieutenant|sergeant|admiral|commander|inspector|detective|old|young|saint|st|knight|maître|capitaine|commandant|docteur|doktor|hauptmann|capitán|doctor|capitano|dottor|capitão|doutor|капитан|доктор|генерал|майор|полковник';
const titleBefore = new RegExp(`^(?:${male}|${female}|${either})\\.?\\s+(?=\\S)`, 'iu');
const maleWords = new Set(male.split('|'));
const femaleWords = new Set(female.split('|'));
const titleWords = new Set([...maleWords, ...femaleWords, ...either.split('|')]);
const titleAfter =
  /(?<=.)(?:さん|ちゃん|くん|様|さま|殿|先生|先輩|君|氏|嬢|陛下|殿下|閣下|卿|씨|님|군|양|선배|선배님|선생님|小姐|夫人|公子|姑娘|大人|师兄|师姐|师弟|师妹|师父|前辈|師兄|師姐|師弟|師妹|師父|前輩)$/u;

export function isTitle(word: string): boolean {
  return titleWords.has(word.toLowerCase());
}

export function isMaleTitle(word: string): boolean {
  return maleWords.has(word.toLowerCase());
}

export function isFemaleTitle(word: string): boolean {
  return femaleWords.has(word.toLowerCase());
}

/** The name without forms of address; the name itself when nothing would be left. */
export function stripTitles(name: string): string {
  let bare = name;
  for (let i = 0; i < 3; i++) {
    const next = bare.replace(titleBefore, '').replace(titleAfter, '');
    if (next === bare || [...next].length < 2) break;
    bare = next;
  }
  return bare;
}
