/** A block between the book and the model: what the model should not see is taken off it and put back onto its translation. */
import { inlineTagsNest, inlineTagsOf, stripInlineTags, tokenizeInline } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { typographyOf } from '../../language/typography/typography.ts';
import { projectTags } from '../../project-tags.ts';
import type { TextBlock } from '../engine.ts';
import { type Heading, readHeading } from './chapter-headings.ts';
import { withSpanishTitles } from './forms-of-address.ts';
import { withElisions, withoutArticles } from './name-repairs.ts';
import { cutPieces, markSpeech } from './pieces.ts';
import { type BlockContext, finished, sentenceOf } from './sentence.ts';
import type { TermPair } from './term-places.ts';

export interface DraftRequest {
  sourceLang: string;
  targetLang: string;
  blocks: readonly RequestedBlock[];
  terms: readonly TermPair[];
  beam: number;
}

/** Without the sources of its terms, all terms of the request are for it. */
type RequestedBlock = Pick<TextBlock, 'id' | 'text' | 'kind' | 'terms'>;

/** @param count how many tokens the model makes of a text */
export function openBlock(block: RequestedBlock, request: DraftRequest, count: (text: string) => number) {
  const context = contextOf(block, request);
  const { sourceLang, targetLang, terms } = context;
  const isEnglish = baseCode(sourceLang) === 'en';
  const emphasis = readUnderscores(block.text);
  const capitals = lowerCapitals(emphasis.text, terms, block.kind === 'heading');
  const text = isEnglish ? withDoubleQuotes(capitals.text) : capitals.text;
  const heading = headingOf(text, context, block.kind === 'heading');
  const pieces = markSpeech(cutPieces(heading.rest, sourceLang, count), sourceLang);
  const sentences = pieces.map((piece) => sentenceOf(piece, context));

  return {
    id: block.id,
    sentences,
    /** The translation as the target language prints it; undefined when a part of it has none. */
    close(): string | undefined {
      if (sentences.some(({ best }) => best === undefined)) return undefined;
      const isKept = sentences.every(({ best, piece }) => best?.text === piece.text);
      if (isKept && heading.lead === '') return block.text;
      const { typeset, title } = typographyOf(targetLang);
      const joined = sentences.map((one) => finished(one, sentences.length === 1) + one.piece.after).join('');
      const targets = sentences.flatMap((sentence) => sentence.targets);
      const spoken = isEnglish ? withSpeechMarks(heading.rest, joined, targetLang) : joined;
      const translated = withNamesInPlace(spoken, targets, heading.rest, context);
      const isTitle = heading.lead !== '' || (block.kind === 'heading' && !/[.!?…,;]$/u.test(heading.rest.trim()));
      const printed = typeset(heading.lead + (isTitle ? title(translated) : translated));
      return emphasis.restore(capitals.restore(printed, targetLang), context);
    },
  };
}

/** Tags around a number are left to be put back by their place; those of the title stay with it. */
function headingOf(text: string, { sourceLang, targetLang }: BlockContext, isHeading: boolean): Heading {
  const heading = readHeading(text, sourceLang, targetLang, isHeading);
  if (heading !== undefined) return heading;
  const plain = stripInlineTags(text);
  const read = plain === text ? undefined : readHeading(plain, sourceLang, targetLang, isHeading);
  if (read === undefined) return { lead: '', rest: text };
  let left = plain.length - read.rest.length;
  const rest = tokenizeInline(text).reduce((out, token) => {
    if (token.kind !== 'text') return left > 0 ? out : out + token.raw;
    const own = token.text.slice(left);
    left = Math.max(0, left - token.text.length);
    return out + own;
  }, '');
  return inlineTagsNest(rest) ? { lead: read.lead, rest } : read;
}

/** What a language writes before a name, once the names are the right ones. */
function withNamesInPlace(text: string, targets: readonly string[], source: string, context: BlockContext): string {
  const { sourceLang, targetLang } = context;
  if (targetLang === 'fr') return withElisions(text, targets);
  if (targetLang !== 'es' || sourceLang !== 'en') return text;
  return withoutArticles(withSpanishTitles(text, source), targets, source);
}

/** Only terms that occur in the block: those of its neighbours must not decide on it. */
function contextOf(block: RequestedBlock, request: DraftRequest): BlockContext {
  const blockTerms = block.terms === undefined ? undefined : new Set(block.terms);
  return {
    sourceLang: baseCode(request.sourceLang),
    targetLang: baseCode(request.targetLang),
    terms: blockTerms === undefined ? request.terms : request.terms.filter(({ source }) => blockTerms.has(source)),
  };
}

/** A line in capitals, as titles often are: the model reads it in small letters, and its translation gets the capitals back. */
export function lowerCapitals(text: string, terms: readonly TermPair[], isHeading: boolean) {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  // One word of a paragraph may be initials, and a short one a numeral.
  const isLoud = words.join('').length > 4 && (isHeading || words.length > 1) && !/\p{Ll}/u.test(text);
  return {
    text: isLoud ? inSmallLetters(text, terms) : text,
    restore: (translation: string, language: string) =>
      isLoud ? translation.toLocaleUpperCase(language) : translation,
  };
}

/** Names and numerals keep what they have. */
function inSmallLetters(text: string, terms: readonly TermPair[]): string {
  const lower = text
    .replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => (/^[IVXLC]+$/u.test(word) ? word : word.toLowerCase()))
    .replace(
      /(^|[.!?…]\s+|\n)((?:[\dIVXLC]+[.:)]?\s+)?["“«—\s]*)(\p{Ll})/gu,
      (_, before: string, marks: string, letter: string) => before + marks + letter.toUpperCase(),
    );
  return terms.reduce((all, { source }) => {
    const name = new RegExp(String.raw`(?<![\p{L}\p{M}])${RegExp.escape(source)}(?![\p{L}\p{M}])`, 'giu');
    return all.replace(name, () => source);
  }, lower);
}

/** _Emphasis_ of plain text: formatting, so the model gets it as tags and never as letters. */
const emphasized = /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu;

export function readUnderscores(text: string) {
  let number = Math.max(0, ...inlineTagsOf(text).map((tag) => Number(/\d+/.exec(tag)?.[0] ?? 0)));
  const first = number + 1;
  const tagged = text.replace(emphasized, (_, inner: string) => {
    number++;
    return `<${number}>${inner}</${number}>`;
  });
  return {
    /** With tags in place of underscores. */
    text: tagged,
    restore(translation: string, { targetLang, terms }: BlockContext): string {
      if (number < first) return translation;
      const renderings = new Map(terms.map(({ source, target }) => [source, target]));
      const { text: complete } = projectTags(tagged, translation, targetLang, renderings);
      return complete.replace(/<\/?(\d{1,6})>/g, (tag, own: string) => (Number(own) >= first ? '_' : tag));
    },
  };
}

/** English tells speech by quotation marks; French, Spanish and Italian by a dash at the head of the paragraph. */
const tags = String.raw`(?:</?\d{1,6}/?>)*`;
const spokenAtStart = new RegExp(String.raw`^\s*${tags}["“]`, 'u');
const dashAtStart = new RegExp(String.raw`^(\s*${tags})[—–-]\s*(?=\S)`, 'u');
const head = new RegExp(String.raw`^(\s*${tags})"?\s*`, 'u');

/** A paragraph of the translation, in plain marks, that begins with a dash where its source begins with speech, and only there. */
export function withSpeechMarks(source: string, translation: string, targetLang: string): string {
  if (!typographyOf(targetLang).speechByDash) return translation;
  const hasDash = dashAtStart.test(translation);
  if (spokenAtStart.test(source)) {
    const isPaired = hasDash && translation.split('"').length % 2 === 1;
    return isPaired
      ? translation
      : translation.replaceAll('"', (mark, at) => (at === 0 ? mark : '')).replace(head, hasDash ? '$1' : '$1—');
  }
  const narrated = hasDash && !/^\s*[—–-]/u.test(source) ? translation.replace(dashAtStart, '$1') : translation;
  // Speech that ends a paragraph of narration stands in marks of its own.
  return /["”]\s*$/u.test(source) && !narrated.includes('"')
    ? narrated.replace(/: ?—\s*([^—]+)$/u, ': "$1"')
    : narrated;
}

const opening =
  /(?<=^|[\s(—–>])[‘'](?=[\p{L}…—])(?!(?:tis|twas|twere|twill|em|til|till|cause|bout|ere|neath|gainst|n)(?![\p{L}]))/giu;
const closing = /(?<=[,.!?…;:—–])[’'](?=$|[\s)—–<])/gu;

/** Many British books speak in ‘single’ marks, which the model takes for apostrophes. */
export function withDoubleQuotes(text: string): string {
  if (/["“”]/u.test(text)) return text;
  const [opened, closed] = [text.match(opening)?.length ?? 0, text.match(closing)?.length ?? 0];
  // A speech that goes on in the next paragraph is not closed in this one.
  if (opened === 0 || opened - closed > 1 || closed > opened) return text;
  return text.replace(opening, '“').replace(closing, '”');
}
