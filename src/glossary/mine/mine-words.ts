import { isTitle, stripTitles } from '../titles.ts';
import { BoundedCounter } from './bounded-counter.ts';
import type { Candidate } from './candidate.ts';

/** Capitalised runs that are not explained by a sentence start. */
export function mineWords(texts: readonly string[], language: string): Candidate[] {
  const inside = new BoundedCounter();
  const atStart = new BoundedCounter();
  const lower = new BoundedCounter();
  const titled = new BoundedCounter();
  const withArticle = new BoundedCounter();
  for (const text of texts) {
    let run: string[] = [];
    let runAtStart = false;
    let runAfterArticle = false;
    let end = 0;
    let before = '';
    const close = (): void => {
      if (run.length === 0) return;
      while (run.length > 0 && connectors.has(run.at(-1) ?? '')) run.pop();
      const full = run.join(' ');
      const name = stripTitles(full);
      if (name !== full) titled.add(name);
      (runAtStart ? atStart : inside).add(runAtStart ? full : name);
      if (runAfterArticle) withArticle.add(name);
      run = [];
    };
    for (const match of text.matchAll(/[\p{L}][\p{L}\p{M}'’-]*/gu)) {
      const word = match[0].replace(/['’]s?$/u, '');
      const gap = text.slice(end, match.index);
      end = match.index + match[0].length;
      const capital = /^\p{Lu}/u.test(word);
      if (!capital) lower.add(word);
      const joins = run.length > 0 && gap === ' ' && run.length < 6;
      if (capital) {
        if (!joins) {
          close();
          runAtStart = startsHere(text, match.index, gap);
          runAfterArticle = articles.has(before);
        }
        run.push(word);
      } else if (joins && connectors.has(word)) run.push(word);
      else close();
      // A possessive ends the name: "Alice's Kelly" is no name.
      if (word !== match[0]) close();
      before = gap === ' ' ? word : '';
    }
    close();
  }
  return judge({ inside, atStart, lower, titled, withArticle }, language);
}

interface Counts {
  inside: BoundedCounter;
  atStart: BoundedCounter;
  lower: BoundedCounter;
  titled: BoundedCounter;
  withArticle: BoundedCounter;
}

function judge(counts: Counts, language: string): Candidate[] {
  const { inside, atStart, lower, titled, withArticle } = counts;
  const total = new BoundedCounter();
  for (const [name, count] of inside.entries()) total.add(name, count);
  for (const [run, count] of atStart.entries()) {
    const [first = '', ...rest] = run.split(' ');
    // "But Alice": the first word is capitalised by its place when the book has it in lower case, or when only the
    // rest is ever named inside a sentence.
    const onlyRestIsKnown = inside.get(rest.join(' ')) > 0 && inside.get(first) === 0 && inside.get(run) === 0;
    const ordinary = (lower.get(first.toLowerCase()) > inside.get(first) || onlyRestIsKnown) && !isTitle(first);
    const name = stripTitles(ordinary ? rest.join(' ') : run);
    if (name !== '') total.add(name, count);
  }
  const candidates: Candidate[] = [];
  for (const [name, count] of total.entries()) {
    if (name.length < 2 || never.has(name)) continue;
    const within = inside.get(name);
    const asWord = lower.get(name.toLowerCase());
    const several = name.includes(' ');
    if (!several && within === 0) continue;
    // Mid-sentence capitals three times outweigh any number of "may"; fewer must not be outnumbered.
    if (!several && within < 3 && asWord > within) continue;
    // German capitalises every noun: only words that rarely carry an article pass.
    if (language === 'de' && !several && withArticle.get(name) * 3 > count && titled.get(name) === 0) continue;
    if (count < 2 && titled.get(name) === 0 && !several) continue;
    candidates.push({
      source: name,
      occurrences: count,
      strength: count + 5 * titled.get(name) + (several ? count : 0),
    });
  }
  return candidates;
}

function startsHere(text: string, index: number, gap: string): boolean {
  if (index === 0 || gap === '') return index === 0;
  return /[.!?…:;\n"“”«»„‚‘—–]/u.test(gap) || text.slice(0, index).trim() === '';
}

const connectors = new Set(
  'of the de del della di da do dos du la le van von der den zu af av bin ibn al el y und'.split(' '),
);
const articles = new Set(
  'der die das den dem des ein eine einen einem einer eines mein meine sein seine ihr ihre kein keine im am zum zur'.split(
    ' ',
  ),
);
const never = new Set(
  "I I'm I'll I'd I've Mr Mrs Ms Miss Dr Chapter Part Book Prologue Epilogue Kapitel Глава Часть".split(' '),
);
