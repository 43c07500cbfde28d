import { commonWordShare, matchCommonWords } from '../../language/common-words.ts';
import { headingShape } from '../../language/headings.ts';
import { baseCode, scriptOf } from '../../language/languages.ts';
import { countScripts, type Script, script, scriptsOfLanguage } from '../../language/scripts.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import { isHouseAddress } from '../../language/untranslatable.ts';
import { type CheckInput, type Fault, faultOf } from './fault.ts';

/** Echo of the source, left-over source text, and text that is not in the target language. */
export function checkLanguage(input: CheckInput): Fault | undefined {
  const wanted = scriptsOf(input.targetLang);
  const sourceScripts = scriptsOf(input.sourceLang);
  const source = countScripts(input.cleanSource);
  // A line that is not in the book's language anyway (a Latin motto, a password) may well stay as it is.
  const foreign = source.letters > 0 && share(source.byScript, sourceScripts) * 2 < source.letters;
  if (foreign || areClose(input.sourceLang, input.targetLang) || isHouseAddress(input.cleanSource)) return undefined;
  return (
    echo(input) ??
    shortEcho(input) ??
    wrongScript(input, wanted) ??
    suspectLine(input, wanted, sourceScripts) ??
    residue(input, wanted, sourceScripts) ??
    otherLanguage(input)
  );
}

const echoed = faultOf('echo', 'The text came back untranslated. Translate it into the target language.');
const maybeEchoed = faultOf('suspect', 'This line came back untranslated. Translate it, unless it is only a name.');
const wrongLanguage = faultOf('wrong-language', 'The translation is not in the target language.');
const leftOver = faultOf('residue', 'Part of the text was left in the source language. Translate all of it.');
const littleLeftOver = faultOf('minor-residue', 'A few characters of the source language were left.');

function echo(input: CheckInput): Fault | undefined {
  const [source, translation] = [lettersOf(input.cleanSource), lettersOf(input.cleanTranslation)];
  const unexplained = lettersOf(withoutTerms(input));
  if (unexplained.length < 8 || isNameList(input.cleanSource)) return undefined;
  // Different words: "La la la" is the same song everywhere.
  const words = new Set(wordsOf(input.cleanSource)).size;
  const dense = scriptsOf(input.sourceLang).some((own) => own === script.han || own === script.hangul);
  if (!dense && words < 4) return undefined;
  const shared = scriptsOf(input.targetLang).some((one) => scriptsOf(input.sourceLang).includes(one));
  const same = source === translation || (shared && unexplained.length >= 30 && areSimilar(source, translation));
  return same ? echoed : undefined;
}

function withoutTerms({ terms, cleanSource }: CheckInput): string {
  return terms.reduce((text, term) => text.replaceAll(term.source, ' '), cleanSource);
}

/**
 * A title of two or three words that came back as it was. An article or a preposition of the source language in it says
 * that it was not translated. Without one it may be a name, so it is asked for once more and then believed.
 */
function shortEcho(input: CheckInput): Fault | undefined {
  if (lettersOf(input.cleanSource) !== lettersOf(input.cleanTranslation)) return undefined;
  const rest = withoutTerms(input);
  const words = new Set(wordsOf(rest).filter((word) => /\p{L}/u.test(word)));
  if (words.size < 2 || lettersOf(rest).length < 6) return undefined;
  const [own, wanted] = [stopWordsOf(input.sourceLang), stopWordsOf(input.targetLang)];
  const foreign = [...words].filter((word) => own.has(word) && !wanted.has(word));
  const isForeign = foreign.length > 0;
  // Raoul de Bragelonne is a name, and so is Dulcinea del Toboso.
  const isLikeName = foreign.every((word) => nameParticles.has(word)) && isNameList(withoutParticles(rest));
  if (isForeign && !isLikeName && words.size >= 3) return echoed;
  const isTitle = input.kind === 'heading' || words.size >= 3;
  if (!isForeign && (!isTitle || (input.kind !== 'heading' && isNameList(input.cleanSource)))) return undefined;
  return maybeEchoed;
}

const nameParticles = new Set('de del della di da do dos du des la le el los las van von der den zu d l'.split(' '));

function withoutParticles(text: string): string {
  return text.replace(/[\p{L}\p{M}]+/gu, (word) => (nameParticles.has(word) ? '' : word));
}

function wrongScript(input: CheckInput, wanted: readonly Script[]): Fault | undefined {
  const { letters, byScript } = countScripts(input.cleanTranslation);
  if (letters < 12) return undefined;
  const code = baseCode(input.targetLang);
  const kana = share(byScript, [script.hiragana, script.katakana]);
  const noKana = code === 'ja' && letters >= 24 && kana === 0;
  const tooMuchKana = code === 'zh' && kana * 5 > letters;
  if (share(byScript, wanted) * 2 >= letters && !noKana && !tooMuchKana) return undefined;
  return wrongLanguage;
}

/**
 * A short line in a script of neither language is wrong. One that came back as it was may be a name, so it is asked for
 * once more and then believed.
 */
function suspectLine(input: CheckInput, wanted: readonly Script[], own: readonly Script[]): Fault | undefined {
  const { letters, byScript } = countScripts(input.cleanTranslation);
  if (letters < 4) return undefined;
  const isUnchanged = lettersOf(input.cleanSource) === lettersOf(input.cleanTranslation);
  const crossesScripts = !own.some((one) => wanted.includes(one));
  const isElsewhere = share(byScript, [...wanted, ...own]) === 0;
  const isExplained = input.terms.some((term) => input.cleanTranslation.includes(term.target));
  if (isElsewhere && !isExplained) return wrongLanguage;
  const isChapter = input.kind === 'heading' && /chapter|part/.test(headingShape(input.cleanSource)?.level ?? '');
  if (isExplained || !isUnchanged || !(crossesScripts || isChapter)) return undefined;
  // No language writes another's word for chapter in another script.
  if (crossesScripts && isChapter) return echoed;
  return maybeEchoed;
}

function residue(input: CheckInput, wanted: readonly Script[], own: readonly Script[]): Fault | undefined {
  const foreign = own.filter((candidate) => !wanted.includes(candidate));
  if (foreign.includes(script.latin) || foreign.length === 0) return copiedWords(input);
  const rendered = new Set(input.terms.flatMap((term) => [...term.target]));
  const text = [...input.cleanTranslation].filter((character) => !rendered.has(character)).join('');
  const { letters, byScript } = countScripts(text);
  const count = share(byScript, foreign);
  if (count === 0) return undefined;
  return count >= 3 && count * 10 > letters ? leftOver : littleLeftOver;
}

const copiedRun = 10;

/** Ten words in a row that are also in the source: half a paragraph was left as it was. */
function copiedWords(input: CheckInput): Fault | undefined {
  // Ten words have thirty letters or so; most translations into another script have none of them.
  if (share(countScripts(input.cleanTranslation).byScript, scriptsOf(input.sourceLang)) < 30) return undefined;
  const source = wordsOf(input.cleanSource);
  const translation = wordsOf(input.cleanTranslation);
  if (source.length < copiedRun || translation.length < copiedRun) return undefined;
  const runsOf = (words: readonly string[]): string[][] =>
    words.slice(copiedRun - 1).map((_, i) => words.slice(i, i + copiedRun));
  const known = new Set(runsOf(source).map((run) => run.join(' ')));
  // A chant ("la la la …") or a list of names is the same in every language.
  const isTelling = (run: readonly string[]): boolean => new Set(run).size >= copiedRun / 2;
  return runsOf(translation).some((run) => known.has(run.join(' ')) && isTelling(run)) ? leftOver : undefined;
}

/** Fewer words than this say nothing about their language. */
const tellingWords = 8;

/**
 * Another language of the same script, by its commonest words: Spanish into English that was answered in French. Names
 * and invented words are common in no language, so they accuse nobody.
 */
function otherLanguage(input: CheckInput): Fault | undefined {
  const target = baseCode(input.targetLang);
  if (stopWordsOf(target).size === 0) return undefined;
  const { words, matches } = matchCommonWords(input.cleanTranslation);
  if (words < tellingWords) return undefined;
  const targetShare = matches.find(({ code }) => areClose(code, target))?.share ?? 0;
  const other = matches.find(({ code }) => !areClose(code, target));
  if (other === undefined || other.distinct < 4 || other.share < 0.3 || targetShare * 3 > other.share) return undefined;
  // A passage that the book itself has in that language may stay in it.
  const isQuoted =
    commonWordShare(input.cleanSource, other.code) > commonWordShare(input.cleanSource, input.sourceLang);
  return isQuoted ? undefined : wrongLanguage;
}

/** Languages whose good translations look like echoes of each other. */
const closeFamilies = 'zh|sr hr bs|nb no nn da|id ms|cs sk|mk bg|es gl|ru be uk|af nl|hi ne mr'.split('|');
const familyOf = new Map(closeFamilies.flatMap((family) => family.split(' ').map((code) => [code, family] as const)));

function areClose(a: string, b: string): boolean {
  const [first, second] = [baseCode(a), baseCode(b)];
  const family = familyOf.get(first);
  return first === second || (family !== undefined && family === familyOf.get(second));
}

function scriptsOf(language: string): readonly Script[] {
  return scriptsOfLanguage(scriptOf(language));
}

function share(byScript: readonly number[], scripts: readonly Script[]): number {
  return scripts.reduce((sum: number, one) => sum + (byScript[one] ?? 0), 0);
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}]+/gu, '');
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** Every word a capitalised one: a list of names or a title page. */
function isNameList(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}][\p{L}\p{M}'’-]*/gu) ?? [];
  return words.length <= 12 && words.every((word) => /^\p{Lu}/u.test(word));
}

const similarShare = 0.85;

/** More than this share of all letter triples is common to both. */
function areSimilar(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) * 2 < Math.max(a.length, b.length)) return false;
  const [left, right] = [triplesOf(a), triplesOf(b)];
  return left.intersection(right).size / Math.max(1, left.union(right).size) > similarShare;
}

function triplesOf(text: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)));
}
