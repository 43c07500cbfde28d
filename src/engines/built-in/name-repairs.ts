/** Whether the names that a sentence must have are there, and what is mended when the model misspelt, joined or doubled them. */
import { baseCode } from '../../language/languages.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import { isCapital, smallestWord, type TermPair } from './term-places.ts';

const wordPattern = /(?:[\p{L}\p{M}]+|\p{N}+)(?:[-'][\p{L}\p{M}\p{N}]+)*/gu;
/** "the castle ofIf": where French writes d'If the model forgets a blank, before names and before what it takes for one. */
export function separateNames(
  translation: string,
  targets: readonly string[],
  source: string,
  targetLang: string,
): string {
  const names = new Set(targets.flatMap((target) => target.match(smallestWord)?.[0] ?? []));
  return translation.replace(
    /(?<![\p{L}\p{M}\p{N}'-])(\p{Ll}+)(\p{Lu}[\p{L}\p{M}]+)/gu,
    (joined, word: string, name: string) => {
      const isMistake =
        (names.has(name) || (word.length > 1 && stopWordsOf(targetLang).has(word))) && !source.includes(joined);
      return isMistake ? `${word} ${name}` : joined;
    },
  );
}

/** What French and Italian write onto a name that begins with a vowel, and French names onto themselves. */
const elided = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|dell|all|dall|nell|sull|un)'/u;

/** Renderings that the translation does not have; letters with and without accents are the same here. */
export function missingTerms(translation: string, targets: readonly string[], targetLang: string): string[] {
  const words = bareWords(translation);
  const isAt = (i: number, part: string): boolean =>
    // Where "If" is the name, "the Château d'If" has it.
    [words[i] ?? '', words[i]?.replace(elided, '') ?? ''].some((word) => isWrittenForm(word, part, targetLang));
  return [...new Set(targets)].filter((target) => {
    const parts = bareWords(target);
    return parts.length > 0 && !words.some((_, i) => parts.every((part, k) => isAt(i + k, part)));
  });
}

/**
 * The exact letters of a rendering wherever the model wrote it with other accents, capitals or letters ("Thomas" for
 * Tomás): one spelling per book. What the source itself writes like that is another name.
 */
export function settleSpelling(
  translation: string,
  targets: readonly string[],
  source: string,
  targetLang: string,
): string {
  const parts = new Map(
    targets.flatMap((target) => (target.match(wordPattern) ?? []).map((part) => [bare(part), part])),
  );
  const sourceWords = new Set([wordPattern, smallestWord].flatMap((pattern) => source.match(pattern) ?? []).map(bare));
  const text = translation.replace(wordPattern, (word) => {
    const [, all = word, ending = ''] = /^(.*?)('s)?$/u.exec(word) ?? [];
    const before = elided.exec(bare(all))?.[0] ?? '';
    const stem = parts.has(bare(all)) ? all : all.slice(before.length);
    if (!isCapital(stem)) return word;
    const exact =
      parts.get(bare(stem)) ?? (sourceWords.has(bare(stem)) ? undefined : nearest(bare(stem), parts, targetLang));
    return exact === undefined || !isCapital(exact) ? word : all.slice(0, all.length - stem.length) + exact + ending;
  });
  // A family may be "the Morels"; nobody is called "Lucien Morels".
  return targets
    .filter((target) => target.includes(' '))
    .reduce(
      (all, target) => all.replaceAll(new RegExp(`${RegExp.escape(target)}s(?![\\p{L}\\p{M}])`, 'gu'), () => target),
      withHyphens(text, targets),
    );
}

/** "Reform Club" where the book has Reform-Club. */
function withHyphens(text: string, targets: readonly string[]): string {
  return targets
    .filter((target) => /\p{L}-\p{L}/u.test(target))
    .reduce((all, target) => {
      const loose = target.split(/[ -]/).map(RegExp.escape).join('[ -]');
      return all.replaceAll(new RegExp(`(?<![\\p{L}\\p{M}-])${loose}(?![\\p{L}\\p{M}-])`, 'gu'), () => target);
    }, text);
}

/** A letter in four may differ; words that begin sentences and look like names do not count. */
function nearest(word: string, parts: ReadonlyMap<string, string>, targetLang: string): string | undefined {
  if (word.length < 5 || stopWordsOf(targetLang).has(word)) return undefined;
  for (const [key, part] of parts) {
    if (key.length < 5 || key[0] !== word[0] || `${key}s` === word) continue;
    if (isNear(word, key, 0.25)) return part;
  }
  return undefined;
}

/** A name written twice in a row, as the model sometimes does with one that has several parts: "Tom Tomás Arriaga Arriaga". */
export function withoutDoubledNames(translation: string, targets: readonly string[]): string {
  const names = new Set(targets.map(bare));
  let text = translation;
  for (const target of new Set(targets)) {
    const parts = bareWords(target);
    text = withoutTranslatedPart(withoutRepeatedPart(text, target, parts), target, parts);
    for (let at = text.lastIndexOf(target); at > 0; at = text.lastIndexOf(target, at - 1)) {
      for (;;) {
        const before = /(\p{Lu}[\p{L}\p{M}'-]*) $/u.exec(text.slice(0, at))?.[1];
        if (before === undefined || !isPartOf(bare(before), parts)) break;
        // "the Golfines Teodoro Golfín" are two names.
        if (names.has(bare(before)) && !parts.includes(bare(before))) break;
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

/** "the alleys of Allées de Meilhan": the model translates the first word and then writes the whole name. */
function withoutTranslatedPart(text: string, target: string, [first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return text;
  const translated = new RegExp(
    `(?<![\\p{L}\\p{M}])([\\p{L}\\p{M}]+) (?:of|de|du|des) (?=${RegExp.escape(target)})`,
    'gu',
  );
  return text.replace(translated, (all, word: string) => (isNear(bare(word), first, 0.25) ? '' : all));
}

/** "Port Calm Harbour", "Puer Calm Harbour" for Puerto Calmo: the model begins to translate the term and then writes its rendering. */
export function withoutHalfTerms(translation: string, terms: readonly TermPair[]): string {
  const known = new Set(terms.flatMap(({ target }) => bareWords(target)));
  let text = translation;
  for (const { source, target } of terms) {
    const words = bareWords(source);
    // Of one word nothing is half: "Madame Mary" for Marie.
    if (words.length < 2) continue;
    const left = words.filter((word) => !known.has(word));
    const isLeft = (word: string): boolean =>
      !known.has(bare(word)) &&
      !titles.has(word) &&
      left.some((part) => part[0] === bare(word)[0] && isNear(bare(word), part, 0.5));
    const name = RegExp.escape(target);
    const capital = String.raw`(?<![\p{L}\p{M}'-])(\p{Lu}[\p{L}\p{M}]{2,})`;
    text = text
      .replace(
        new RegExp(`${capital} (?:(?:of|de|del|di) )?(?=${name}(?![\\p{L}\\p{M}]))`, 'gu'),
        (all, word: string) => (isLeft(word) ? '' : all),
      )
      .replace(new RegExp(`(?<=${name})(?:['’]s)? (\\p{Lu}[\\p{L}\\p{M}]{2,})`, 'gu'), (all, word: string) =>
        isLeft(word) ? '' : all,
      );
  }
  return text;
}

function isNear(word: string, other: string, furthest: number): boolean {
  return editDistance(word, other) / Math.max(word.length, other.length) <= furthest;
}

/** One part alone must be the same; of a name with several parts a part may be misspelt. */
function isPartOf(word: string, parts: readonly string[]): boolean {
  if (parts.length < 2) return parts[0] === word;
  return parts.some((part) => isNear(word, part, 0.4));
}

/**
 * The last resort: a capitalised word that looks like the name but is not it was meant to be it. Undefined when there is
 * none.
 */
export function substituteTerm(
  translation: string,
  target: string,
  known: readonly string[],
  targetLang: string,
  furthest = 0.5,
): string | undefined {
  const parts = bareWords(target);
  const others = new Set(known.flatMap(bareWords));
  let best: { start: number; end: number; distance: number } | undefined;
  for (const match of translation.matchAll(wordPattern)) {
    const all = match[0].replace(/'s$/u, '');
    const before = elided.exec(bare(all))?.[0].length ?? 0;
    const stem = isCapital(all) ? all : all.slice(before);
    if (!isCapital(stem) || others.has(bare(stem)) || stopWordsOf(targetLang).has(bare(stem))) continue;
    const distance = Math.min(
      ...parts.map((part) => editDistance(bare(stem), part) / Math.max(part.length, stem.length)),
    );
    // A part that is right already is replaced by the whole name only when no misspelt one stands beside it.
    const rank = distance === 0 ? 0.5 : distance;
    if (rank > furthest || (best !== undefined && best.distance <= rank)) continue;
    const start = match.index + all.length - stem.length;
    best = { start, end: start + stem.length, distance: rank };
  }
  if (best === undefined) return undefined;
  // "Lucien Morrel" becomes "Lucien Morel" and not "Lucien Lucien Morel".
  let before = translation.slice(0, best.start);
  for (let cut = target.lastIndexOf(' '); cut > 0; cut = target.lastIndexOf(' ', cut - 1)) {
    if (before.endsWith(target.slice(0, cut + 1))) before = before.slice(0, -cut - 1);
  }
  return before + target + translation.slice(best.end);
}

/**
 * The model sometimes puts another name for one it does not know: "the widow of the League" for that of the Bundelkund. One name
 * is missing, the source has no names but those known, and one capitalised word of the translation is none of them. Then that
 * word stands for the missing name.
 */
export function replaceStranger(
  translation: string,
  target: string,
  known: readonly string[],
  source: string,
  targetLang: string,
): string | undefined {
  const names = new Set([target, ...known].flatMap((name) => name.match(smallestWord) ?? []).map(bare));
  const strangersIn = (text: string, language: string): RegExpExecArray[] =>
    [...text.matchAll(/(?<=[\p{L}\p{M},;][ '-])\p{Lu}[\p{L}\p{M}]+/gu)].filter(
      ([word]) => !names.has(bare(word)) && !stopWordsOf(language).has(bare(word)) && !titles.has(word),
    );
  const [stranger, ...more] = strangersIn(translation, targetLang);
  if (stranger === undefined || more.length > 0 || strangersIn(source, 'en').length > 0) return undefined;
  return translation.slice(0, stranger.index) + target + translation.slice(stranger.index + stranger[0].length);
}

/** What is written with a capital beside a name. */
const titles = new Set(
  'Mr Mrs Miss Sir Lord Lady Sr Sra Mme Mlle Dieu Dios Seigneur Madame Mademoiselle Monsieur Señor Señora Don Doña Count Countess Baron Duke King Queen Prince Princess Captain Doctor Father Mother God Heaven Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December French English Spanish German Italian'.split(
    ' ',
  ),
);

/** "La Lizzy", "el Netherfield": Spanish has no article before a name, unless its source has one or the name is Spanish. */
export function withoutArticles(text: string, targets: readonly string[], source: string): string {
  return [...new Set(targets)]
    .filter(
      (target) =>
        source.includes(target) &&
        !new RegExp(String.raw`\bthe (?:\p{L}+ )?${RegExp.escape(target)}`, 'iu').test(source),
    )
    .reduce((all, target) => {
      const name = String.raw`(?=${RegExp.escape(target)}(?![\p{L}\p{M}]))`;
      return all
        .replace(new RegExp(String.raw`(?<![\p{L}\p{M}])(?:[Ee]l|[Ll]a) ${name}`, 'gu'), '')
        .replace(new RegExp(String.raw`(?<![\p{L}\p{M}])([Aa]|[Dd]e)l ${name}`, 'gu'), '$1 ');
    }, text);
}

/** Other languages give a family's name no ending, and a person's name neither. */
function isWrittenForm(word: string, base: string, targetLang: string): boolean {
  if (word === base || !word.startsWith(base)) return word === base;
  const endings = baseCode(targetLang) === 'en' ? /^(?:'?s|s'|es|'s)$/u : /^(?:s|es)$/u;
  return endings.test(word.slice(base.length));
}

/** French elides "de" and "que" before a vowel and not before a consonant, which is another matter once a name is mended. */
export function withElisions(text: string, targets: readonly string[]): string {
  return [...new Set(targets)].reduce((all, target) => {
    const name = String.raw`(?=(?:<\d{1,6}>)*${RegExp.escape(target)}(?![\p{L}\p{M}]))`;
    const small = String.raw`(?<![\p{L}\p{M}-])(d|qu|jusqu|lorsqu|puisqu|quoiqu)`;
    return /^[aeiou]/u.test(bare(target))
      ? all.replace(new RegExp(`${small}e ${name}`, 'giu'), "$1'")
      : all.replace(new RegExp(`${small}'${name}`, 'giu'), '$1e ');
  }, text);
}

function bareWords(text: string): string[] {
  return (text.match(wordPattern) ?? []).map(bare);
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
