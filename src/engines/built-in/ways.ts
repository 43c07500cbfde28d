/** The ways in which a sentence with names can be put to the model. */
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { toModelTags, withoutModelTags } from './model-tags.ts';
import { missingIn, type Sentence } from './sentence.ts';
import { annotateTerms, maskTerms } from './term-marks.ts';
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
