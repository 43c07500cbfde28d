/** Japanese names: runs of kanji or katakana that people are addressed by, or that no dictionary knows. */
import { wordList } from '../../language/word-list.ts';
import { stripTitles } from '../titles.ts';
import { BoundedCounter } from './bounded-counter.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { isDictionaryWord } from './dictionary-word.ts';

export function mineJapanese(texts: readonly string[]): Candidate[] {
  const counts = new BoundedCounter();
  const honoured = new BoundedCounter();
  const marked = new BoundedCounter();
  const objects = new BoundedCounter();
  const parts = new BoundedCounter();
  const note = (name: string, after: string, isHonoured: boolean): void => {
    counts.add(name);
    if (isHonoured || honorific.test(after)) honoured.add(name);
    if (particle.test(after)) marked.add(name);
    if (after.startsWith('を')) objects.add(name);
  };
  for (const text of texts) {
    for (const match of text.matchAll(
      /[ァ-ヺー]{2,20}(?:[・=＝][ァ-ヺー]{2,20}){0,4}|(?<!\p{Script=Hiragana})お[\p{Script=Han}]{1,2}(?!\p{Script=Han})|(?!いい|.の)\p{Script=Hiragana}{2}子|[\p{Script=Han}々]{2,6}/gu,
    )) {
      const end = match.index + match[0].length;
      const after = text.slice(end, end + 4);
      const bare = stripTitles(match[0]);
      note(bare, after, bare !== match[0]);
      if (!bare.includes('・')) continue;
      for (const part of bare.split(/[・=＝]/u)) {
        note(part, after, false);
        parts.add(part);
      }
    }
  }
  // その時三四郎は: a word of time stands before the name without anything between them. 東風子 is 東風, with respect.
  for (const [source, occurrences] of [...counts.entries()]) {
    const name = source.replace(wordOfTime, '').replace(/(?<=\p{Script=Han}{2})子$/u, '');
    const least = /(?:郎|助|衛門|蔵|吉|平|太)$/u.test(name) ? 1 : occurrences + 1;
    if (name === source || counts.get(name) < least) continue;
    for (const counter of [counts, honoured, marked, objects]) counter.move(source, name);
  }
  const candidates: Candidate[] = [];
  for (const [source, occurrences] of counts.entries()) {
    const honours = honoured.get(source);
    if ((occurrences < 2 && honours === 0) || isOrdinary(source)) continue;
    // A part that never stands alone is the longer name's: デル of アンドレア・デル・サルト.
    if (parts.get(source) >= occurrences) continue;
    // お茶 and どの子 are no names; お通さん and よし子さん are women.
    if (/^\p{Script=Hiragana}/u.test(source) && (honours < 2 || objects.get(source) > occurrences * 0.25)) continue;
    // What is eaten, read and carried more often than it is spoken of is a thing.
    const isThing = objects.get(source) > occurrences * 0.2 && honours < occurrences * 0.15;
    const points =
      nameLikeness(source, honours / occurrences, honours, marked.get(source) / occurrences) +
      (parts.get(source) > 0 ? 0.8 : 0) -
      (isThing ? 0.8 : 0);
    if (points < leastPoints) continue;
    const confidence = Math.min(0.97, 0.45 + 0.2 * points) * (1 - 0.5 * Math.exp(-occurrences / 4));
    const type = honours >= 2 ? 'person' : 'unknown';
    candidates.push(candidateOf(source, occurrences, { weight: Math.min(2.5, points), confidence, type }));
  }
  return candidates;
}

const leastPoints = 1;
const wordOfTime =
  /^(?:今度|今日|昨日|翌日|翌朝|今朝|今夜|昨夜|先刻|先日|当時|途中|結局|実際|元来|突然|最初|最後|早速|無論|勿論|[時今後前昔朝晩夜又])(?=[\p{Script=Han}々]{2})/u;
/** 三四郎, 五右衛門. */
const numberName = /^[一二三四五六七八九十百千万]{1,2}(?:郎|助|蔵|吉|平|太|次|作|代|衛門|兵衛|右衛門|左衛門)$/u;
/** 美禰子, 千枝子; not 茶菓子 and 遺伝子. */
const womanName =
  /^[\p{Script=Han}々]{2}(?<![椅菓帽硝障獅拍辛伝性粒電量団格梯様調弟王皇息扇冊種骨原分因利餃茄母親女男精卵双迷骰束杓金人動算別飾容])子$/u;
const honorific = /^(?:さん|ちゃん|くん|様|さま|殿|どの|先生|先輩|君|卿|氏|嬢|夫人|女史|博士|陛下|殿下)/u;
const particle = /^(?:は|が|も|の|と|に|を|へ)/u;

function nameLikeness(source: string, honourShare: number, honours: number, markedShare: number): number {
  const isKatakana = /^[ァ-ヺー・=＝]+$/u.test(source);
  // The dictionary has given names as well.
  const isWoman = womanName.test(source);
  let points = isWoman ? 1 : isDictionaryWord(source, 'ja') ? -1 : isKatakana ? 0.9 : 0.5;
  if (honours >= 2 && honourShare >= 0.04) points += honourShare >= 0.15 ? 2.5 : 2;
  else if (honours >= 1 && honourShare >= 0.2) points += 1.2;
  if (surnames.has(source.slice(0, 2)) && source.length <= 5) points += 1;
  if (/[・=＝]/u.test(source)) points += 1;
  if (numberName.test(source)) points += 1;
  if (/(?:郎|助|衛門|之助|太夫|麿)$/u.test(source)) points += 0.8;
  if (/(?:県|市|町|村|島|城|寺|川|山|駅)$/u.test(source) && source.length >= 3) points += 0.4;
  return points + (markedShare >= 0.5 ? 0.3 : 0);
}

/** Kin, trades and numbers: addressed politely as well, and still no names. */
function isOrdinary(source: string): boolean {
  if (numberName.test(source) || (womanName.test(source) && /^[千百]/u.test(source))) return false;
  return (
    ordinary.has(source) || /^[御貴諸各何数一二三四五六七八九十百千万]/u.test(source) || /[人者達方員屋]$/u.test(source)
  );
}

const ordinary = wordList(new URL('japanese-persons.txt', import.meta.url));
const surnames = wordList(new URL('japanese-surnames.txt', import.meta.url));
