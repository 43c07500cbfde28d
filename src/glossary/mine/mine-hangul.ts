/**
 * Korean names: words with their particles taken off. A name is somebody who does things (은, 는, 이, 가, 에게) or is addressed (씨, 님).
 * It hardly ever has a modifier before it or a particle of place behind it.
 */
import { stopWordsOf } from '../../language/stop-words.ts';
import { wordList } from '../../language/word-list.ts';
import { BoundedCounter } from './bounded-counter.ts';
import { type Candidate, candidateOf } from './candidate.ts';

type HangulCounts = ReturnType<typeof emptyCounts>;

function emptyCounts() {
  return {
    all: new BoundedCounter(),
    /** With 은, 는, 이, 가 and the like. */
    acts: new BoundedCounter(),
    /** With 에게, 한테, 께: only what lives takes them. */
    lives: new BoundedCounter(),
    /** With 에, 에서, 로: a place or a thing. */
    places: new BoundedCounter(),
    objects: new BoundedCounter(),
    /** With 씨, 님, 군, 양, 선생. */
    honoured: new BoundedCounter(),
    /** 민식이가: the 이 that only names of persons take before a particle. */
    familiar: new BoundedCounter(),
    /** Behind a modifier: 그 사람, 아름다운 처녀. */
    modified: new BoundedCounter(),
  };
}

export function mineHangul(texts: readonly string[]): Candidate[] {
  const counts = emptyCounts();
  for (const text of texts) countParagraph(text, counts);
  const candidates: Candidate[] = [];
  for (const [source, all] of counts.all.entries()) {
    const points = nameLikeness(source, all, counts);
    if (points < leastPoints) continue;
    const confidence = Math.min(0.97, 0.45 + 0.17 * points) * (1 - 0.5 * Math.exp(-all / 5));
    const isPerson = counts.honoured.get(source) + counts.familiar.get(source) + counts.lives.get(source) >= 2;
    const type = isPerson ? 'person' : 'unknown';
    candidates.push(candidateOf(source, all, { weight: Math.min(3, points), confidence, type }));
  }
  return candidates;
}

const leastPoints = 1;

const shape =
  /^([가-힣]{2,4}?)(이)?(씨|님|군|양)?(은|는|이|가|께서|도|에게|에게서|한테|께|에|에서|로|으로|까지|을|를|의|와|과|만|야|아|라고|이라고|이란|란|이라는|라는|하고|이나|부터|처럼|보다)?$/u;

/** Not 는 and 야: 반짝이는 is a verb, 정말이야 a sentence. */
const familiarParticle = /^(?:가|를|의|도|와|에게|한테)$/u;
const separateHonorific = /^ (?:씨|군|양|선생|선생님|님)(?:은|는|이|가|을|를|의|에게|과|와|도|께)?(?![가-힣])/u;

function countParagraph(text: string, counts: HangulCounts): void {
  let before = '';
  let end = 0;
  for (const match of text.matchAll(/[가-힣]{1,12}/gu)) {
    const gap = text.slice(end, match.index);
    end = match.index + match[0].length;
    const word = match[0];
    const near = gap === ' ' ? before : '';
    before = word;
    const parts = word.length >= 2 && word.length <= 8 ? shape.exec(word) : null;
    const stem = parts?.[1];
    if (stem === undefined || parts === null) continue;
    const [, , familiar, honorific, particle = ''] = parts;
    counts.all.add(stem);
    if (familiar !== undefined && familiarParticle.test(particle) && hasFinal(stem)) counts.familiar.add(stem);
    if (honorific !== undefined || separateHonorific.test(text.slice(end, end + 8))) counts.honoured.add(stem);
    if (/^(?:은|는|이|가|께서|도)$/u.test(particle)) counts.acts.add(stem);
    if (/^(?:에게|에게서|한테|께)$/u.test(particle)) counts.lives.add(stem);
    if (/^(?:에|에서|로|으로|까지)$/u.test(particle)) counts.places.add(stem);
    if (/^(?:을|를)$/u.test(particle)) counts.objects.add(stem);
    if (isModifier(near)) counts.modified.add(stem);
  }
}

/** 그, 한, 어떤, …의, and every verb or adjective that ends in ㄴ before its noun. */
function isModifier(word: string): boolean {
  if (word === '') return false;
  if (/^(?:그|이|저|한|두|세|모든|어떤|무슨|다른|첫|새|제|내|네)$/u.test(word) || word.endsWith('의')) return true;
  const last = word.charCodeAt(word.length - 1) - 0xac00;
  // ㄴ and ㄹ close the forms that stand before a noun; 는 and 은 are particles after a noun as well, so only short words.
  return last % 28 === 4 && word.length >= 2 && !/[은는]$/u.test(word);
}

/** Ends in a consonant. */
function hasFinal(word: string): boolean {
  return (word.charCodeAt(word.length - 1) - 0xac00) % 28 !== 0;
}

function nameLikeness(source: string, all: number, counts: HangulCounts): number {
  const honoured = counts.honoured.get(source);
  const familiar = counts.familiar.get(source);
  if (all < 3 || honoured === all || counts.modified.get(source) > all * 0.3) return 0;
  if (stopWordsOf('ko').has(source) || ordinary.has(source) || /(?:하|것|들|이|씩|쯤|때|에)$/u.test(source)) return 0;
  const share = (counter: BoundedCounter): number => counter.get(source) / all;
  const acts = share(counts.acts);
  const lives = share(counts.lives);
  const isFullName = surnames.has(source.charAt(0)) && source.length === 3;
  // In a text of a page one honorific has to do.
  const isCalledOnce = honoured === 1 && all <= 5 && acts >= 0.3;
  const isCalled =
    isCalledOnce || (familiar >= 2 && familiar / all >= 0.04) || (honoured >= 2 && honoured / all >= 0.04);
  // Forms of verbs end so: 하고, 있는, 들어. A few names do as well, when they are called by them.
  if (!isCalled && /[는은고서면며니까다지게려어아여해나와]$/u.test(source)) return 0;
  if (!isCalled && !(isFullName && acts >= 0.3 && all >= 5) && !(acts >= 0.4 && lives >= 0.01)) return 0;
  let points = 0;
  if (familiar >= 2 && familiar / all >= 0.04) points += 2;
  if (isCalledOnce) points += 1;
  if (honoured >= 2) points += honoured / all >= 0.04 ? 2 : 1;
  if (isFullName) points += 0.6;
  if (acts >= 0.4) points += 0.8;
  if (lives >= 0.02) points += 0.6;
  points -= 4 * Math.max(0, share(counts.places) - 0.02);
  points -= 3 * Math.max(0, share(counts.modified) - 0.05);
  points -= 2 * Math.max(0, share(counts.objects) - 0.15);
  return points;
}

const surnames = new Set('김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민'.split(''));

const ordinary = wordList(new URL('korean-words.txt', import.meta.url));
