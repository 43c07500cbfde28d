/** Japanese names: runs of kanji or katakana that people are addressed by, or that no dictionary knows. */
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

const ordinary = new Set(
  (
    '主人 細君 奥様 奥方 妻君 叔父 伯父 叔母 伯母 父親 母親 両親 祖父 祖母 兄弟 姉妹 夫婦 夫人 旦那 亭主 師匠 先生 教師 生徒 学生 書生 学者 医者 博士 巡査 刑事 ' +
    '下女 女中 車夫 坊主 和尚 神様 仏様 客様 王様 皆様 皆 諸君 吾輩 我輩 自分 自身 彼女 彼等 我々 令嬢 嬢 子供 小供 娘 男子 女子 婦人 紳士 友達 友人 赤ん 校長 社長 部長 課長 隊長 ' +
    '船長 姫 殿 王 姉 兄 妹 弟 爺 婆 泥棒 隠居 大将 閣下 陛下 殿下 地蔵 観音 仏 神 天皇 将軍 大王 お前 お客 お母 お父 お兄 お姉 お嬢 お坊 お爺 お婆 お祖父 お祖母 お医者 お巡 お隣 お寺 お宅 お殿 お姫 お上 お方 お侍 お使 お月 お日 お天道 お釈迦 お地蔵 お師匠 お役人 お代官 お奉行 お武家 お弟子 お内儀 お袋 お孃 お嫁 お婿 お子 是非 徳利 馬鹿 馬鹿野郎 番頭 華族 蟷螂'
  ).split(' '),
);

const surnames = new Set(
  (
    '佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々 山口 松本 井上 木村 斎藤 清水 山崎 阿部 池田 橋本 山下 石川 中島 前田 藤田 後藤 小川 岡田 長谷 村上 近藤 石井 ' +
    '坂本 遠藤 青木 藤井 西村 福田 太田 三浦 藤原 岡本 松田 中川 中野 原田 小野 田村 竹内 金子 和田 中山 石田 上田 森田 小島 柴田 宮崎 酒井 工藤 横山 宮本 内田 高木 安藤 島田 谷口 ' +
    '大野 丸山 今井 河野 藤本 村田 武田 上野 杉山 増田 菅原 平野 大塚 千葉 久保 松井 小山 岩崎 桜井 木下 野口 松尾 菊地 野村 新井 渡部 佐野 杉本 大西 古川 浜田 市川 小松 高田 水野 ' +
    '吉川 山内 西田 西川 菊池 北村 五十 福島 安田 中田 川口 平田 川崎 飯田 本田 久保 吉村 沢田 中西 岩田 服部 辻村 関口 樋口 永井 金田 甘木 八木 織田 豊臣 徳川 源氏 平家'
  ).split(' '),
);
