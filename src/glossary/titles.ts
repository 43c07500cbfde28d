/** Forms of address that stick to names and are no part of them. */
const before =
  'mr|mrs|ms|miss|mister|madam|madame|mademoiselle|monsieur|sir|lady|lord|dame|dr|doctor|prof|professor|captain|colonel|major|general|lieutenant|sergeant|admiral|commander|inspector|detective|king|queen|prince|princess|duke|duchess|count|countess|baron|baroness|emperor|empress|father|brother|sister|mother|uncle|aunt|old|young|master|mistress|saint|st|knight|herr|frau|fräulein|don|doña|señor|señora|señorita|signor|signora|signorina|senhor|senhora|pan|pani|господин|госпожа|капитан|князь|княгиня|граф|графиня|барон|король|королева|доктор|генерал|майор';
const titleBefore = new RegExp(`^(?:${before})\\.?\\s+(?=\\S)`, 'iu');
const titleAfter =
  /(?<=.)(?:さん|ちゃん|くん|様|さま|殿|先生|先輩|君|氏|嬢|陛下|殿下|閣下|卿|씨|님|군|양|선배|선배님|선생님|先生|小姐|夫人|公子|姑娘|大人|师兄|师姐|师弟|师妹|师父|前辈|師兄|師姐|師弟|師妹|師父|前輩)$/u;

export function isTitle(word: string): boolean {
  return titleBefore.test(`${word} x`);
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
