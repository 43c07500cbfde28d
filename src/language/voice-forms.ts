/**
 * By which words a text shows how somebody is addressed, and in what tense it is told. Only words that hardly mean anything else: what
 * they do not show is not known. Address is looked for in speech, tense outside of it.
 */
import { baseCode } from './languages.ts';

interface Forms {
  /** Familiar and polite. */
  address?: readonly [RegExp, RegExp];
  /** Past and present. */
  tense?: readonly [RegExp, RegExp];
}

const forms: Readonly<Record<string, Forms>> = {
  de: {
    address: [
      words('du|dich|dir|dein|deine|deinen|deinem|deiner|deines'),
      // At the start of a sentence it may be "they" or "she".
      /(?<=[\p{Ll},] )(?:Sie|Ihnen|Ihr|Ihre|Ihren|Ihrem|Ihrer)(?!\p{L})/gu,
    ],
    tense: [
      words('war|waren|hatte|hatten|sagte|ging|kam|stand|sah|wurde|konnte|wollte|musste|lag|sprach|fragte|dachte'),
      words('ist|sind|sagt|geht|kommt|steht|sieht|wird|kann|will|muss|liegt|spricht|fragt|denkt'),
    ],
  },
  fr: {
    address: [words('tu|toi|ton|ta|tes'), words('vous|votre|vos')],
    tense: [
      words('était|étaient|avait|avaient|fut|eut|fit|alla|prit|vint|demanda|répondit|regarda|pouvait|devait|parla'),
      words('va|prend|vient|demande|répond|regarde|peut|doit|parle|dort|sait|voit'),
    ],
  },
  es: {
    address: [words('tú|ti|tu|tus|contigo'), words('usted|ustedes')],
    tense: [
      words('era|eran|estaba|estaban|había|dijo|fue|vino|miró|preguntó|podía|respondió'),
      words('es|son|está|están|dice|va|viene|mira|pregunta|puede|responde'),
    ],
  },
  en: {
    tense: [
      words('was|were|had|said|went|came|stood|saw|looked|asked|could|would'),
      words('is|are|has|says|goes|comes|stands|sees|looks|asks|can|will'),
    ],
  },
  ru: {
    address: [words('ты|тебя|тебе|тобой|твой|твоя|твоё|твои'), words('вы|вас|вам|вами|ваш|ваша|ваше|ваши')],
  },
  zh: { address: [/你(?!们|們)/gu, /您/gu] },
};

export type Address = 'familiar' | 'polite';
export type Tense = 'past' | 'present';

/** Undefined where the text does not show it, or shows both. */
export function addressIn(text: string, language: string): Address | undefined {
  const [familiar, polite] = forms[baseCode(language)]?.address ?? [];
  return moreOf(speechOf(text), [familiar, 'familiar'], [polite, 'polite']);
}

/** Undefined where the text does not show it, or shows both. */
export function tenseIn(text: string, language: string): Tense | undefined {
  const [past, present] = forms[baseCode(language)]?.tense ?? [];
  return moreOf(text.replace(speech, ' '), [past, 'past'], [present, 'present']);
}

/** Which form a decision in words names, such as "Sie" or "polite"; undefined where it names none or both. */
export function addressNamed(decision: string, language: string): Address | undefined {
  const names = [addressNames[baseCode(language)], addressNames.en].filter((pair) => pair !== undefined);
  const isNamed = (which: 0 | 1): boolean => names.some((pair) => decision.search(pair[which]) >= 0);
  const [isFamiliar, isPolite] = [isNamed(0), isNamed(1)];
  if (isFamiliar === isPolite) return undefined;
  return isFamiliar ? 'familiar' : 'polite';
}

/** Familiar and polite. Decisions are written in English, with the words of the language. */
const addressNames: Readonly<Record<string, readonly [RegExp, RegExp]>> = {
  en: [words('familiar|informal|intimate'), words('polite|formal|respectful')],
  de: [words('du|duzt|duzen'), words('sie|siezt|siezen')],
  fr: [words('tu|tutoie|tutoient|tutoyer|tutoiement'), words('vous|vouvoie|vouvoient|vouvoyer|vouvoiement')],
  es: [words('tú|tutea|tutean|tutear|tuteo'), words('usted|ustedes')],
  ru: [words('ты'), words('вы')],
  zh: [/你/u, /您/u],
};

/** The tense that a decision in words names first: what it says of earlier events comes after. */
export function tenseNamed(decision: string): Tense | undefined {
  const [past, present] = [pastNames, presentNames].map((names) => decision.search(names));
  if (past === undefined || present === undefined || past === present) return undefined;
  return present < 0 || (past >= 0 && past < present) ? 'past' : 'present';
}

const pastNames = words('past|preterite|imperfect|präteritum|imperfekt|passé|imparfait|pretérito|прошедшее');
const presentNames = words('present|präsens|présent|presente|настоящее');

/** What is said, between marks or behind a dash at the start of a line. */
const speech = /[„“"«»”「『‚‘](?:[^“”"«»」』‘’]{1,600})[“”"«»」』‘’]|^\s*[—–-]\s.*$/gmu;

function speechOf(text: string): string {
  return [...text.matchAll(speech)].map(([said]) => said).join('\n');
}

function moreOf<A, B>(
  text: string,
  [one, a]: [RegExp | undefined, A],
  [other, b]: [RegExp | undefined, B],
): A | B | undefined {
  if (one === undefined || other === undefined) return undefined;
  const [first, second] = [text.match(one)?.length ?? 0, text.match(other)?.length ?? 0];
  if (first >= 2 * second && first > 0) return a;
  return second >= 2 * first && second > 0 ? b : undefined;
}

function words(list: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${list})(?!\\p{L})`, 'giu');
}
