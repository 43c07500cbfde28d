import { script, scriptOfUnit } from '../../language/scripts.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { countHanPairs } from './count-han-pairs.ts';
import { isDictionaryWord } from './dictionary-word.ts';
import { endsLikePlace, isOrdinaryPerson, startsWithSurname } from './han-names.ts';
import { mineSpeakers } from './mine-speakers.ts';
import { Neighbours } from './neighbours.ts';
import { neverNames } from './not-names.ts';

/**
 * Chinese has no capitals. A name is a chain of characters that meet far more often than chance (cohesion) and whose neighbours
 * vary on both sides (branching). Pairs are counted first, then only chains of strong pairs as strings.
 */
export function mineHan(texts: readonly string[]): Candidate[] {
  const { total, single, pair } = countHanPairs(texts);
  const least = Math.max(3, Math.floor(total / 250_000));
  // Ten times chance separates 小雨 from 雨说 in web novels; a page or two cannot get that far above chance.
  const timesChance = total < 2_000 ? 3 : 10;
  const strong = (a: number, b: number): boolean => {
    const count = pair(a, b);
    if (count < least || functional.has(a) || functional.has(b)) return false;
    return count * total > timesChance * single(a) * single(b);
  };
  const candidates = judgeChains(countChains(texts, strong), least, (character) =>
    speakingShare(single(character), (verb) => pair(character, verb)),
  );
  const known = new Set(candidates.map(({ source }) => source));
  return [...candidates, ...mineSpeakers(texts).filter(({ source }) => !known.has(source))];
}

type Chain = ReturnType<typeof emptyChain>;

function emptyChain() {
  return {
    count: 0,
    /** Of them before a verb of speech: 宝玉道, 孔明曰. */
    speaks: 0,
    /** Of them right behind a mark or the start of a line, and right before one. */
    opens: 0,
    closes: 0,
    left: new Neighbours(),
    right: new Neighbours(),
  };
}

function countChains(texts: readonly string[], strong: (a: number, b: number) => boolean): Map<string, Chain> {
  const chains = new Map<string, Chain>();
  for (const text of texts) {
    let start = 0;
    while (start < text.length - 1) {
      let end = start + 1;
      while (end < text.length && strong(text.charCodeAt(end - 1), text.charCodeAt(end))) end++;
      if (end - start >= 2 && end - start <= 6) {
        const source = text.slice(start, end);
        const known = chains.get(source);
        // Past this, only chains already known are followed: what first shows up this late and rare is left to the engine.
        if (known !== undefined || chains.size < maxChains) {
          const chain = known ?? emptyChain();
          if (known === undefined) chains.set(source, chain);
          const after = end < text.length ? text.charCodeAt(end) : 0;
          chain.count++;
          if (speech.has(after)) chain.speaks++;
          const before = start > 0 ? text.charCodeAt(start - 1) : 0;
          if (scriptOfUnit(before) !== script.han) chain.opens++;
          if (scriptOfUnit(after) !== script.han) chain.closes++;
          chain.left.add(before);
          chain.right.add(after);
        }
      }
      start = end;
    }
  }
  return chains;
}

const maxChains = 100_000;

/** How often one character alone stands before a verb of speech: 操曰, 布曰. Then it is somebody's name. */
function speakingShare(count: number, before: (verb: number) => number): number {
  return count < 20 ? 0 : [...speech].reduce((sum, verb) => sum + before(verb), 0) / count;
}

function judgeChains(
  chains: ReadonlyMap<string, Chain>,
  least: number,
  speakingAlone: (character: number) => number,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [source, chain] of chains) {
    const { count, left, right } = chain;
    if (count < least || left.different < 2 || right.different < 2) continue;
    // A common chain with few neighbours is a piece of a longer one.
    if (count >= 20 && Math.min(left.entropy, right.entropy) < 1.2) continue;
    if (isOrdinaryPerson(source) || neverNames('zh').has(source) || notFirst.has(source.charCodeAt(0))) continue;
    const points = nameLikeness(source, chain, speakingAlone(source.charCodeAt(source.length - 1)));
    if (points < leastPoints) continue;
    const confidence = Math.min(0.97, 0.45 + 0.17 * points) * (1 - 0.5 * Math.exp(-count / 6));
    const type = chain.speaks > count * 0.05 ? 'person' : 'unknown';
    candidates.push(candidateOf(source, count, { weight: Math.min(2, points), confidence, type }));
  }
  return candidates;
}

const leastPoints = 1.2;

/**
 * Points for and against. 张辽 starts with a surname, 玄德 speaks, 荆州 ends like a place, 大喜 is in the dictionary. A name is
 * who a clause begins with and, now and then, whom it ends with. An adverb never ends one, a verb hardly begins one.
 */
function nameLikeness(source: string, chain: Chain, lastSpeaks: number): number {
  const { count } = chain;
  const [opens, closes, speaks] = [chain.opens / count, chain.closes / count, chain.speaks / count];
  const isOrdinary = isDictionaryWord(source, 'zh');
  const isPlace = endsLikePlace(source);
  const standsLikeName = opens >= 0.28 && closes >= 0.03 && closes <= 0.45;
  let points = isOrdinary ? -1 : 0.3;
  if (standsLikeName) points += 1;
  else if (!isPlace && count >= 10 && (opens < 0.12 || closes < 0.01)) points -= 0.7;
  if (startsWithSurname(source) && source.length <= 4) points += lastSpeaks >= 0.05 && standsLikeName ? 2.2 : 1.2;
  if (opens >= 0.25) points += speaks >= 0.1 ? 1.5 : speaks >= 0.04 ? 1 : 0;
  if (isPlace) points += isOrdinary ? 0.5 : 1;
  return points;
}

// Characters that glue sentences together and make every chain look like a word.
const functional = charactersOf(
  '的了是我你他她它不在有这那這们們就也都和着著说說道吗嗎呢吧啊得地很把被让讓给給对對又再还還没沒会會能要想去来來上下里裡中么麼怎什个個些只此曰其之所者矣乎见見听聽问問笑叹嘆忙便却卻因为為与與从從到出起过過欲已未才且向叫',
);
export function gluesSentences(character: number): boolean {
  return functional.has(character);
}

/** No name starts so, though words do. */
const notFirst = charactersOf('一二三四五六七八九十两兩几幾每各某众眾诸諸如何如今大小引乃');
const speech = charactersOf('道曰说說笑问問叹嘆忙听聽答喝哭骂罵');

function charactersOf(list: string): ReadonlySet<number> {
  return new Set([...list].map((character) => character.charCodeAt(0)));
}
