/** A block between the book and the model: what the model should not see is taken off it and put back onto its translation. */
import { inlineTagsNest, stripInlineTags, tokenizeInline } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { typographyOf } from '../../language/typography/typography.ts';
import type { TextBlockKind } from '../engine.ts';
import { lowerCapitals } from './capitals.ts';
import { type Heading, readHeading } from './chapter-headings.ts';
import { withSpanishTitles } from './forms-of-address.ts';
import { withElisions, withoutArticles } from './name-repairs.ts';
import { cutPieces, markSpeech } from './pieces.ts';
import { type BlockContext, finished, type Sentence, sentenceOf } from './sentence.ts';
import { withDoubleQuotes, withSpeechMarks } from './speech-marks.ts';
import type { TermPair } from './term-places.ts';
import { readUnderscores } from './underscores.ts';

export interface DraftRequest {
  sourceLang: string;
  targetLang: string;
  blocks: readonly RequestedBlock[];
  terms: readonly TermPair[];
  beam: number;
}

export interface RequestedBlock {
  id: string;
  text: string;
  kind?: TextBlockKind;
  /** Sources of the terms that are for this block; all of them when absent. */
  terms?: readonly string[];
}

export interface DraftBlock {
  id: string;
  sentences: Sentence[];
  /** The translation as the target language prints it; undefined when a part of it has none. */
  close(): string | undefined;
}

/** @param count how many tokens the model makes of a text */
export function openBlock(block: RequestedBlock, request: DraftRequest, count: (text: string) => number): DraftBlock {
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
    close() {
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
