/** From which language into which a task translates, and what the partner should know about it. */
import { type DetectedLanguage, likelyLanguage } from '../language/detect-language.ts';
import { baseCode, languageName, parseLanguage } from '../language/languages.ts';
import type { Task } from '../tasks/task.ts';
import { FinalFault } from './action-outcome.ts';

export interface BookLanguages {
  sourceLang: string;
  targetLang: string;
  detected: string | undefined;
  /** What the text is in, when the partner declared another language: the declaration still counts. */
  contradicting: string | undefined;
  warnings: { code: string; message: string }[];
}

/** From here on a detected language is a fact and not a guess. */
const certain = 0.9;

export interface FoundLanguage {
  /** Judged over the whole text. */
  language: DetectedLanguage | undefined;
  /** What the file says of itself. */
  declaredInBook: string | null | undefined;
}

/** What reading the source has found before anything is translated. */
export interface FoundBook extends FoundLanguage {
  title: string | undefined;
}

/** Declared by the partner, else detected, else what the book itself declares. */
export function bookLanguages(task: Task, { language, declaredInBook }: FoundLanguage): BookLanguages {
  const detected = likelyLanguage(language, declaredInBook);
  const declared = declaredSource(task);
  const targetLang = task.targetLang ?? 'en';
  const contradicting =
    declared !== undefined &&
    language !== undefined &&
    language.confidence >= certain &&
    differ(language.code, declared)
      ? language.code
      : undefined;
  const languages: BookLanguages = {
    sourceLang: declared ?? detected ?? 'und',
    targetLang,
    detected,
    contradicting,
    warnings: [],
  };
  if (declared === undefined && detected === undefined) languages.warnings.push(uncertain);
  if (declared !== undefined && contradicting !== undefined) {
    languages.warnings.push({
      code: 'SOURCE_LANGUAGE_DIFFERS',
      message: `The text seems to be in ${languageName(contradicting)}, not in ${languageName(declared)} as source_lang says.`,
    });
  }
  if (detected !== undefined && task.targetLang !== undefined && areSame(detected, targetLang))
    languages.warnings.push(sameLanguage);
  return languages;
}

/**
 * Whether a book is in the target language already: it stops then and costs nothing. Not so when the partner declared its
 * language, or when part of it is in another one and somebody translates that.
 */
export function isInTargetLanguage(
  task: Task,
  { language }: FoundLanguage,
  { sourceLang, targetLang }: BookLanguages,
  isServed: boolean,
): boolean {
  if (declaredSource(task) !== undefined || !areSame(sourceLang, targetLang)) return false;
  return !isServed || (language !== undefined && language.confidence >= certain);
}

export function sameLanguageFault({ sourceLang, warnings }: BookLanguages): FinalFault {
  const message = `The text is in ${languageName(sourceLang)} already, so nothing was translated or charged. Choose another target_lang, or declare source_lang if the text is in another language.`;
  return new FinalFault({ code: 'SAME_LANGUAGE', message, retryable: false }, { warnings });
}

export function declaredSource(task: Task): string | undefined {
  return task.sourceLang === 'auto' ? undefined : task.sourceLang;
}

const uncertain = {
  code: 'SOURCE_LANGUAGE_UNCERTAIN',
  message: 'The text is too short or too mixed to tell its language. Send source_lang to be sure.',
};
const sameLanguage = {
  code: 'SAME_LANGUAGE',
  message: 'The text seems to be in the target language already.',
};

function areSame(a: string, b: string): boolean {
  return parseLanguage(a)?.code === parseLanguage(b)?.code;
}

/** Norwegian goes by three codes, and a Chinese book may mix both sets of characters. */
function differ(detected: string, declared: string): boolean {
  const norwegian = ['no', 'nb', 'nn'];
  const [one, other] = [baseCode(detected), baseCode(declared)];
  return one !== other && !(norwegian.includes(one) && norwegian.includes(other));
}
