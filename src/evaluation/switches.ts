/**
 * Where a translation leaves the voice of the book: form of address, tense and recurring phrases of each paragraph, compared with what the
 * sheet decides. What it does not decide is compared with the paragraph before.
 */
import { type Address, addressIn, addressNamed, tenseIn, tenseNamed } from '../language/voice-forms.ts';
import type { Sheet } from '../translation/sheet.ts';
import type { ComparedWith } from './evaluation.ts';
import type { PassageKind } from './passages.ts';

type Decisions = ReturnType<typeof decisionsOf>;

export function decisionsOf(sheet: Sheet | undefined, targetLang: string) {
  const told = (sheet?.address ?? []).map(({ from, to, form }) => ({
    people: [from, to] as const,
    form: addressNamed(form, targetLang),
  }));
  const isOfAll = ({ people }: (typeof told)[number]): boolean => people.every((person) => everybody.test(person));
  const forms = new Set(told.map(({ form }) => form));
  return {
    /** Who speaks how to whom, where that is one form throughout. */
    pairs: told.filter((each) => !isOfAll(each)),
    // For people of whom nothing else is said. A sheet that knows one form only means it for everybody.
    otherwise: told.find(isOfAll)?.form ?? (forms.size === 1 ? told[0]?.form : undefined),
    tense: sheet?.tense === undefined ? undefined : tenseNamed(sheet.tense),
    phrases: sheet?.phrases ?? [],
  };
}

const everybody = /^(?:every(?:body|one)|all|any(?:body|one)|others|strangers)\b/iu;

export function comparedWith({ pairs, otherwise, tense, phrases }: Decisions): ComparedWith {
  const decidesAddress = otherwise !== undefined || pairs.some(({ form }) => form !== undefined);
  return {
    address: decidesAddress ? 'sheet' : 'neighbours',
    tense: tense === undefined ? 'neighbours' : 'sheet',
    phrases: phrases.length === 0 ? null : 'sheet',
  };
}

export interface TranslatedPassage {
  kind: PassageKind;
  source: readonly string[];
  texts: readonly string[];
}

/** The counts of an evaluated engine. */
export function switchesIn(passages: readonly TranslatedPassage[], decisions: Decisions, targetLang: string) {
  const by = comparedWith(decisions);
  const address = sumOf(
    passages.map((passage) => {
      const forms = passage.texts.map((text) => addressIn(text, targetLang));
      return by.address === 'neighbours'
        ? changesIn(forms)
        : differences(forms, (at) => decidedAddress(passage, at, decisions));
    }),
  );
  const tense = sumOf(
    passages.map(({ kind, texts }) => {
      const forms = texts.map((text) => tenseIn(text, targetLang));
      // A letter has a narrator of its own.
      return by.tense === 'neighbours'
        ? changesIn(forms)
        : differences(forms, () => (kind === 'letter' ? undefined : decisions.tense));
    }),
  );
  const phrases = sumOf(passages.map((passage) => missedPhrases(passage, decisions)));
  return {
    address_switches: address.switches,
    address_paragraphs: address.paragraphs,
    tense_switches: tense.switches,
    tense_paragraphs: tense.paragraphs,
    phrase_switches: phrases.switches,
    phrase_paragraphs: phrases.paragraphs,
  };
}

interface Count {
  switches: number;
  paragraphs: number;
}

function sumOf(counts: readonly Count[]): Count {
  const total = (of: keyof Count): number => counts.reduce((sum, count) => sum + count[of], 0);
  return { switches: total('switches'), paragraphs: total('paragraphs') };
}

/** How often what is known differs from what was known last. */
function changesIn(forms: readonly (string | undefined)[]): Count {
  const known = forms.filter((form) => form !== undefined);
  return { switches: known.filter((form, i) => i > 0 && form !== known[i - 1]).length, paragraphs: known.length };
}

function differences<T>(forms: readonly (T | undefined)[], decided: (at: number) => T | undefined): Count {
  const pairs = forms.map((form, at) => ({ form, wanted: form === undefined ? undefined : decided(at) }));
  const compared = pairs.filter(({ wanted }) => wanted !== undefined);
  return { switches: compared.filter(({ form, wanted }) => form !== wanted).length, paragraphs: compared.length };
}

/**
 * By the people who are named in the paragraph or in the one before: both of a pair, else one of it. Undefined where the sheet leaves more
 * than one form open.
 */
function decidedAddress(
  { source, texts }: TranslatedPassage,
  at: number,
  { pairs, otherwise }: Decisions,
): Address | undefined {
  const around = [source, texts].flatMap((side) => [side[at - 1] ?? '', side[at] ?? '']).join('\n');
  const named = pairs.map((pair) => ({
    ...pair,
    there: pair.people.filter((person) => isNamed(person, around)).length,
  }));
  const both = named.filter(({ there }) => there === 2);
  const either = named.filter(({ there }) => there === 1);
  if (both.length > 0) return onlyOne(both.map(({ form }) => form));
  if (either.length > 0)
    return onlyOne([...either.map(({ form }) => form), ...(otherwise === undefined ? [] : [otherwise])]);
  return otherwise;
}

function onlyOne(forms: readonly (Address | undefined)[]): Address | undefined {
  return new Set(forms).size === 1 ? forms[0] : undefined;
}

/** By the whole name or by a word of it that is no title: "Darcy" for "Mr. Darcy". */
function isNamed(person: string, text: string): boolean {
  const parts = person.split(' ').filter((word) => word.length >= 3 && !word.endsWith('.') && !titles.test(word));
  return [person, ...parts].some((name) => {
    const at = name.length < 2 ? -1 : text.indexOf(name);
    // Inside of a longer word it is another one, in scripts that have spaces.
    return at >= 0 && !(/\p{Ll}$/u.test(name) && /^\p{Ll}/u.test(text.slice(at + name.length)));
  });
}

const titles =
  /^(?:the|her|his|mrs|miss|sir|lady|lord|herrn?|frau|fräulein|madame|monsieur|mademoiselle|señora?|señorita|don|doña)$/iu;

function missedPhrases({ source, texts }: TranslatedPassage, { phrases }: Decisions): Count {
  const has = (text: string, phrase: string): boolean => text.toLowerCase().includes(phrase.toLowerCase());
  const wanted = phrases.flatMap((phrase) =>
    source.flatMap((text, at) => (has(text, phrase.source) ? [{ text: texts[at] ?? '', target: phrase.target }] : [])),
  );
  return { switches: wanted.filter(({ text, target }) => !has(text, target)).length, paragraphs: wanted.length };
}
