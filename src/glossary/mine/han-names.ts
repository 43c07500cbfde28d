/** What Chinese names are made of, and the words for persons that are no names. */
import { wordList } from '../../language/word-list.ts';

const surnames = wordList(new URL('chinese-surnames.txt', import.meta.url));
const ordinaryPersons = wordList(new URL('chinese-persons.txt', import.meta.url));

export function startsWithSurname(word: string): boolean {
  return surnames.has(word.charAt(0)) || surnames.has(word.slice(0, 2));
}

export function isSurname(word: string): boolean {
  return surnames.has(word);
}

export function endsLikePlace(word: string): boolean {
  return /[州城郡县縣山江河湖海关關国國府寺庙廟宫宮村镇鎮岛島谷峰院阁閣楼樓门門派宗洲庄莊寨营營桥橋]$/u.test(word);
}

/** 三藏 is somebody; 二人, 三怪 and 四将 are so many of them. */
export function isNumberedPerson(word: string): boolean {
  return /^[二三四五][人位名将將兵怪魔妖王鬼军軍子女姐姊哥弟妹叔爷爺娘官公童卒贼賊僧道士国國老家奶嫂更日年]/u.test(
    word,
  );
}

/** Kin, rank and office: people are called so, but it is what they are and not who. */
export function isOrdinaryPerson(word: string): boolean {
  return (
    ordinaryPersons.has(word) ||
    /^老.$/u.test(word) ||
    /^[众眾诸諸两兩数數]/u.test(word) ||
    /^[二三四五]/u.test(word) ||
    /[们們等军軍兵士]$/u.test(word)
  );
}
