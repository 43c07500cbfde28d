/** How a sentence with names is put to the model. The rendering of a name stands beside it, or a placeholder that the model carries over stands for both. */
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { toModelTags, withoutModelTags } from './model-tags.ts';
import { missingIn, type Sentence } from './sentence.ts';
import { findTermPlaces, type TermPlace } from './term-places.ts';

/**
 * A way to put a sentence to the model, and to read its answer: with the tags of the source, or without any. Undefined when
 * another way is the same.
 */
export type Way = (sentence: Sentence) => { text: string; read(translation: string): string } | undefined;

export const annotated = annotating(() => true);

/**
 * Told "château d'If ⟦ If ⟧", the model takes the name for the whole and writes "the If". So names behind a "d'" are told only
 * when they were missed.
 */
export const sparinglyAnnotated = annotating(
  (text, { start }) => !/\bd'$/iu.test(text.slice(Math.max(0, start - 3), start)),
);

function annotating(isTold: (text: string, place: TermPlace) => boolean): Way {
  return ({ source, context: { terms, sourceLang } }) => {
    const tagged = toModelTags(source);
    const text = tagged?.text ?? stripInlineTags(source);
    const places = findTermPlaces(text, terms, sourceLang).filter((place) => isTold(text, place));
    return {
      text: annotateTerms(text, places),
      read: (translation) => tagged?.restore(translation) ?? withoutModelTags(translation),
    };
  };
}

export const masked: Way = (sentence) => (sentence.targets.length === 0 ? undefined : hiding(sentence));

/** Only what was missed: the rest of the sentence is read better with its names. */
export const maskedWhereMissing: Way = (sentence) => {
  const missing = missingIn(sentence);
  return missing.size === 0 || missing.size === new Set(sentence.targets).size
    ? undefined
    : hiding(sentence, (target) => missing.has(target));
};

function hiding(
  { source, context: { terms, sourceLang, targetLang } }: Sentence,
  isHidden?: (target: string) => boolean,
): ReturnType<Way> {
  const text = stripInlineTags(source);
  const mask = maskTerms(text, findTermPlaces(text, terms, sourceLang), targetLang, isHidden);
  // A tag has no vowel: "d'<x1/>" would become "d'Artagnan", whatever the name is.
  const unelided = mask.text.replace(/\b([dl]|(?:\p{L}*qu))'(?=<x[1-9]\/>)/giu, '$1e ');
  return {
    text: baseCode(sourceLang) === 'fr' ? unelided : mask.text,
    read: (translation) => withoutModelTags(mask.unmask(translation)),
  };
}

export const plain: Way = ({ source, context: { terms, sourceLang } }) => {
  const text = stripInlineTags(source);
  if (text === source) return undefined;
  return {
    text: annotateTerms(text, findTermPlaces(text, terms, sourceLang)),
    read: withoutModelTags,
  };
};

/** `term ⟦ rendering ⟧`, as in training. */
export function annotateTerms(text: string, places: readonly TermPlace[]): string {
  return rewrite(text, places, (place) => annotation(text, place));
}

function annotation(text: string, { start, end, target }: TermPlace): string {
  return `${text.slice(start, end)} ⟦ ${target} ⟧`;
}

/** As many as the model has tags for. */
const mostHidden = 9;

/** Names as tags that the model carries over without reading them, the others annotated; the same name is the same tag. */
export function maskTerms(
  text: string,
  places: readonly TermPlace[],
  targetLang: string,
  isHidden: (target: string) => boolean = () => true,
): { text: string; unmask(translation: string): string } {
  const targets = [...new Set(places.map(({ target }) => target).filter(isHidden))].slice(0, mostHidden);
  return {
    text: rewrite(text, places, (place) => {
      const number = targets.indexOf(place.target) + 1;
      return number > 0 ? `<x${number}/>` : annotation(text, place);
    }),
    unmask: (translation) =>
      fillTags(smallBehindTag(withoutPronouns(translation, targetLang), text), (number) => targets[number - 1]),
  };
}

/** "<x1/> Quería": the model takes a tag at the head of a sentence for formatting and begins the sentence behind it. */
function smallBehindTag(translation: string, source: string): string {
  return translation.replace(
    /((?:^|[.!?…] )["—«]?\s*<x[1-9]\/> )(\p{Lu}\p{Ll}+)/gu,
    (all, before: string, word: string) => (source.includes(word) ? all : before + word.toLowerCase()),
  );
}

const pronouns: Readonly<Record<string, string>> = {
  en: 'he|she|it|they',
  fr: 'il|elle|ils|elles',
  es: 'él|ella|ellos|ellas',
  it: 'egli|lui|lei|ella',
  de: 'er|sie',
};

/** The model reads a tag as no noun and puts a pronoun beside it: "he Tomás left". */
function withoutPronouns(translation: string, targetLang: string): string {
  const targetPronouns = pronouns[baseCode(targetLang)];
  if (targetPronouns === undefined) return translation;
  return translation
    .replace(new RegExp(String.raw`(?<![\p{L}\p{M}-])(?:${targetPronouns}) (?=<x[1-9]/>)`, 'giu'), '')
    .replace(new RegExp(String.raw`(?<=<x[1-9]/>) (?:${targetPronouns})(?= \p{Ll})`, 'gu'), '');
}

/** Letters and digits of scripts that put blanks between words. */
const spaced = String.raw`[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]]`;
const tag = '<x[1-9]/>';
/** A blank is wanted between these and a name: letters, and marks that close what is before them. */
const touchesBefore = new RegExp(String.raw`(?<=${spaced}|[,.;:!?…\)\]”»]|[\p{L}\p{N},.!?…]"|/>)(?=${tag})`, 'gv');
const touchesAfter = new RegExp(String.raw`(?<=${tag})(?=${spaced}|[\(\[“«])(?!e?s(?!${spaced}))`, 'gv');
/** And none here: "Antoine ," and "Antoine 's". */
const strayAfter = new RegExp(String.raw`(?<=${tag}) +(?=[,.;:!?…\)\]”»]|'s(?!${spaced}))`, 'gv');
const strayBefore = new RegExp(String.raw`(?<=[\(\[“«]) +(?=${tag})`, 'gv');

/** Names in the places of their tags, one blank between words. French has none after "d'", and the model then writes "of<x1/>". */
function fillTags(translation: string, nameOf: (number: number) => string | undefined): string {
  return translation
    .replace(strayAfter, '')
    .replace(strayBefore, '')
    .replace(touchesBefore, ' ')
    .replace(touchesAfter, ' ')
    .replace(/ +/g, ' ')
    .replace(/<x([1-9])\/>/g, (own, number: string) => nameOf(Number(number)) ?? own);
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
