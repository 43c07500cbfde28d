/** Names and terms in a sentence: where they are, how the model is told their rendering, and whether it was used. */
import { isFormOf } from '../../language/inflection.ts';
import { stopWordsOf } from '../../language/stop-words.ts';

export interface TermPair {
  source: string;
  target: string;
}

export interface TermPlace {
  start: number;
  end: number;
  target: string;
}

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:[-'][\p{L}\p{M}\p{N}]+)*/gu;

/** In reading order; the longest term wins where several fit. Inflected forms count: Обломову is Обломов. */
export function findTermPlaces(text: string, terms: readonly TermPair[], language: string): TermPlace[] {
  const words = [...text.matchAll(wordPattern)].map((match) => ({
    text: match[0],
    folded: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  const wanted = terms
    .map(({ source, target }) => ({ parts: source.match(wordPattern) ?? [], target }))
    .filter(({ parts }) => parts.length > 0)
    .sort((a, b) => b.parts.length - a.parts.length);
  const places: TermPlace[] = [];
  for (let i = 0; i < words.length; i++) {
    const found = wanted.find(({ parts }) =>
      parts.every((part, k) => {
        const word = words[i + k];
        const before = words[i + k - 1];
        if (word === undefined) return false;
        if (k > 0 && text.slice(before?.end ?? 0, word.start).trim() !== '') return false;
        // A name is not found in an ordinary word: "rose" is not "Rose".
        if (/^\p{Lu}/u.test(part) && !/^\p{Lu}/u.test(elided(word.text))) return false;
        return (
          isFormOf(word.folded, part.toLowerCase(), language) ||
          isFormOf(elided(word.folded), part.toLowerCase(), language)
        );
      }),
    );
    const [first, last] = [words[i], words[i + (found?.parts.length ?? 1) - 1]];
    if (found === undefined || first === undefined || last === undefined) continue;
    places.push({ start: first.end - elidedLength(first.text), end: last.end, target: found.target });
    i += found.parts.length - 1;
  }
  return places;
}

/** `term ⟦ rendering ⟧`, as in training. */
export function annotateTerms(text: string, places: readonly TermPlace[]): string {
  return rewrite(text, places, (place) => `${text.slice(place.start, place.end)} ⟦ ${place.target} ⟧`);
}

/** Names as tags that the model carries over without reading them; the same name is the same tag. */
export function maskTerms(
  text: string,
  places: readonly TermPlace[],
  from: number,
  limit: number,
): { text: string; unmask(translation: string): string } | undefined {
  const targets: string[] = [];
  for (const { target } of places) if (!targets.includes(target)) targets.push(target);
  if (from + targets.length > limit) return undefined;
  return {
    text: rewrite(text, places, ({ target }) => `<x${from + targets.indexOf(target) + 1}/>`),
    unmask: (translation) =>
      translation
        // The model reads a tag as no noun and puts a pronoun beside it: "he Tomás left".
        .replace(/\b(?:he|she|it|they) (?=<x[1-9]\/>)/giu, '')
        .replace(/(?<=<x[1-9]\/>) (?:he|she|it|they)(?= \p{Ll})/giu, '')
        .replace(/<x([1-9])\/>/g, (tag, number: string) => targets[Number(number) - from - 1] ?? tag)
        .replace(/ +/g, ' '),
  };
}

/** Renderings that the translation does not have; letters with and without accents are the same here. */
export function missingTerms(translation: string, targets: readonly string[]): string[] {
  const words = (translation.match(wordPattern) ?? []).map(bare);
  return [...new Set(targets)].filter((target) => {
    const parts = (target.match(wordPattern) ?? []).map(bare);
    return parts.length > 0 && !words.some((_, i) => parts.every((part, k) => isEnglishForm(words[i + k] ?? '', part)));
  });
}

/**
 * The exact letters of a rendering wherever the model wrote it with other accents, capitals or letters ("Thomas" for
 * Tomás): one spelling per book. What the source itself writes like that is another name.
 */
export function settleSpelling(translation: string, targets: readonly string[], source: string): string {
  const parts = new Map(
    targets.flatMap((target) => (target.match(wordPattern) ?? []).map((part) => [bare(part), part])),
  );
  const own = new Set((source.match(wordPattern) ?? []).map((word) => bare(elided(word))));
  const text = translation.replace(wordPattern, (word) => {
    const [, stem = word, ending = ''] = /^(.*?)('s)?$/u.exec(word) ?? [];
    if (!/^\p{Lu}/u.test(stem)) return word;
    const exact = parts.get(bare(stem)) ?? (own.has(bare(stem)) ? undefined : nearest(bare(stem), parts));
    return exact === undefined || !/^\p{Lu}/u.test(exact) ? word : exact + ending;
  });
  // A family may be "the Morels"; nobody is called "Lucien Morels".
  return targets
    .filter((target) => target.includes(' '))
    .reduce(
      (all, target) => all.replaceAll(new RegExp(`${RegExp.escape(target)}s(?![\\p{L}\\p{M}])`, 'gu'), target),
      text,
    );
}

/** A letter in four may differ; English words that begin sentences and look like names do not count. */
function nearest(word: string, parts: ReadonlyMap<string, string>): string | undefined {
  if (word.length < 5 || stopWordsOf('en').has(word)) return undefined;
  for (const [key, part] of parts) {
    if (key.length < 5 || key[0] !== word[0] || `${key}s` === word) continue;
    if (editDistance(word, key) / Math.max(word.length, key.length) <= 0.25) return part;
  }
  return undefined;
}

/** A name written twice in a row, as the model sometimes does with one that has several parts: "Tom Tomás Arriaga Arriaga". */
export function withoutDoubledNames(translation: string, targets: readonly string[]): string {
  let text = translation;
  for (const target of new Set(targets)) {
    const parts = (target.match(wordPattern) ?? []).map(bare);
    text = withoutRepeatedPart(text, target, parts);
    for (let at = text.lastIndexOf(target); at > 0; at = text.lastIndexOf(target, at - 1)) {
      for (;;) {
        const before = /(\p{Lu}[\p{L}\p{M}'-]*) $/u.exec(text.slice(0, at))?.[1];
        if (before === undefined || !isPartOf(bare(before), parts)) break;
        text = text.slice(0, at - before.length - 1) + text.slice(at);
        at -= before.length + 1;
      }
      if (at === 0) break;
    }
  }
  return text;
}

/** "Tomás Arriaga Arriaga": a part of the name that follows it at once. One part alone may be said twice: "Tomás Tomás". */
function withoutRepeatedPart(text: string, target: string, parts: readonly string[]): string {
  if (parts.length < 2) return text;
  const followed = new RegExp(`${RegExp.escape(target)}((?: \\p{Lu}[\\p{L}\\p{M}]*)+)`, 'gu');
  return text.replace(followed, (_, rest: string) => {
    const words = rest.slice(1).split(' ');
    while (words[0] !== undefined && parts.includes(bare(words[0]))) words.shift();
    return [target, ...words].join(' ');
  });
}

/** One part alone must be the same; of a name with several parts a part may be misspelt. */
function isPartOf(word: string, parts: readonly string[]): boolean {
  if (parts.length < 2) return parts[0] === word;
  return parts.some((part) => editDistance(word, part) / Math.max(word.length, part.length) <= 0.4);
}

/**
 * The last resort: a capitalised word that looks like the name but is not it was meant to be it. Undefined when there is
 * none.
 */
export function substituteTerm(
  translation: string,
  target: string,
  known: readonly string[],
  furthest = 0.5,
): string | undefined {
  const parts = (target.match(wordPattern) ?? []).map(bare);
  const others = new Set(known.flatMap((other) => (other.match(wordPattern) ?? []).map(bare)));
  let best: { start: number; end: number; distance: number } | undefined;
  for (const match of translation.matchAll(wordPattern)) {
    const stem = match[0].replace(/'s$/u, '');
    if (!/^\p{Lu}/u.test(stem) || others.has(bare(stem))) continue;
    const distance = Math.min(
      ...parts.map((part) => editDistance(bare(stem), part) / Math.max(part.length, stem.length)),
    );
    // A part that is right already is replaced by the whole name only when no misspelt one stands beside it.
    const rank = distance === 0 ? 0.5 : distance;
    if (rank > furthest || (best !== undefined && best.distance <= rank)) continue;
    best = { start: match.index, end: match.index + stem.length, distance: rank };
  }
  if (best === undefined) return undefined;
  // "Lucien Morrel" becomes "Lucien Morel" and not "Lucien Lucien Morel".
  let before = translation.slice(0, best.start);
  for (let cut = target.lastIndexOf(' '); cut > 0; cut = target.lastIndexOf(' ', cut - 1)) {
    if (before.endsWith(target.slice(0, cut + 1))) before = before.slice(0, -cut - 1);
  }
  return before + target + translation.slice(best.end);
}

function rewrite(text: string, places: readonly TermPlace[], replace: (place: TermPlace) => string): string {
  let out = '';
  let end = 0;
  for (const place of places) {
    out += text.slice(end, place.start) + replace(place);
    end = place.end;
  }
  return out + text.slice(end);
}

/** French and Italian write the article onto the name: d'Artagnan, l'Arno. */
function elided(word: string): string {
  return word.slice(word.length - elidedLength(word));
}

function elidedLength(word: string): number {
  return word.length - (/^(?:[dlcjmnst]|qu|dell|all|nell|dall|sull|un)'(?=\p{L})/iu.exec(word)?.[0].length ?? 0);
}

function isEnglishForm(word: string, base: string): boolean {
  return word === base || /^(?:'?s|s'|es|'s)$/u.test(word.startsWith(base) ? word.slice(base.length) : '-');
}

function bare(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .replaceAll('’', "'")
    .toLowerCase();
}

function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > 40) return 40;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    }
    row = next;
  }
  return row[b.length] ?? a.length;
}
