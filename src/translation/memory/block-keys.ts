/** What a block is remembered by: its text, everything else that decided its translation, and its neighbours. Pure. */
import { hash } from 'node:crypto';
import type { Block, Document } from '../../documents/document.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { parseLanguage } from '../../language/languages.ts';
import { hasTranslatableWords } from '../plan/units.ts';

/** Part of every key: a new value makes every memory start anew, so it changes only when old translations are no longer good. */
const memoryPolicyVersion = 1;

/** What the memory is asked for. */
export interface BlockPlace {
  /** A UUID over the text without tags. */
  text: string;
  variant: number;
  context: number;
}

export interface BlockKey extends BlockPlace {
  blockId: string;
  /** A second variant under which it may be remembered. */
  alsoVariant: number | undefined;
  /** Too short to be understood without its neighbours. */
  short: boolean;
  characters: number;
}

/** Source and target of terms that decide on a text. */
export interface DecidingTerms {
  terms: readonly (readonly string[])[];
  /** What an earlier task may have remembered it with, when less was known of the terms. */
  alsoTerms?: readonly (readonly string[])[];
}

export interface KeyOptions {
  sourceLang: string;
  targetLang: string;
  style?: string | undefined;
  /** What the partner wants the translator to know. */
  background?: string | undefined;
  /** Those that decide on a text (without tags). */
  termsIn: (text: string) => DecidingTerms;
  /** Engines, where another one makes another translation: outside of series. */
  enginePolicy: string;
}

/** A correction holds whatever the kind, the style or the terms are. */
export const correctedVariant = 0;
/** The context of a correction that holds everywhere. */
export const anyContext = -1;
/** Characters below which a block depends on what stands beside it: "Yes." */
const shortCharacters = 60;
/** A context is that of the paragraph before times this, plus that of the paragraph after. */
export const contextRange = 2 ** 26;
/** Where the document begins and ends. */
const edge = 0;

/** Keys of all blocks with letters, in the order of the document. */
export function blockKeysOf(document: Pick<Document, 'sections'>, options: KeyOptions): BlockKey[] {
  const blocks = document.sections.flatMap((section) =>
    section.blocks.filter(({ text }) => hasTranslatableWords(text)),
  );
  const pair = [languageCode(options.sourceLang), languageCode(options.targetLang)];
  const { style = '', background, enginePolicy } = options;
  // Absent where there is none: what was remembered before there was such a field stays good.
  const known = background === undefined ? [] : [background];
  const shared = JSON.stringify([memoryPolicyVersion, ...pair, style, enginePolicy, ...known]);
  const digests = blocks.map(({ text }) => digestOf(text));
  const neighbours = digests.map(neighbourIn);
  return blocks.map((block, at) => {
    const { terms, alsoTerms } = options.termsIn(plainText(block.text));
    return {
      blockId: block.id,
      text: uuidIn(digests[at] ?? ''),
      variant: variantOf(block, shared, terms),
      alsoVariant: alsoTerms && variantOf(block, shared, alsoTerms),
      context: joinContext(neighbours[at - 1] ?? edge, neighbours[at + 1] ?? edge),
      // A title or an entry of the contents is not said by anybody: what stands beside it in the file means nothing.
      short: block.kind !== 'label' && block.characters < shortCharacters,
      characters: block.characters,
    };
  });
}

/** For a text with or without tags: the same words are the same text. */
export function textKey(text: string): string {
  return uuidIn(digestOf(text));
}

/** Of a text without its tags, in hexadecimal digits. */
function digestOf(text: string): string {
  return hash('sha256', plainText(text));
}

function uuidIn(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The context of a paragraph of a document, with or without tags; undefined for one without letters, which is no neighbour either. */
export function contextAt(texts: readonly string[], at: number): number | undefined {
  if (!hasTranslatableWords(texts[at] ?? '')) return undefined;
  const neighbour = (step: 1 | -1): number => {
    for (let i = at + step; i >= 0 && i < texts.length; i += step) {
      const text = texts[i] ?? '';
      if (hasTranslatableWords(text)) return neighbourIn(digestOf(text));
    }
    return edge;
  };
  return joinContext(neighbour(-1), neighbour(1));
}

/** How much of the surroundings is the same: 3 both sides, 2 one neighbour, 1 none. */
export function contextAgreement(one: number, other: number): 1 | 2 | 3 {
  if (one === other) return 3;
  const [before, after] = splitContext(one);
  const [otherBefore, otherAfter] = splitContext(other);
  return (before === otherBefore && before !== edge) || (after === otherAfter && after !== edge) ? 2 : 1;
}

function plainText(text: string): string {
  return stripInlineTags(text).normalize('NFC').trim();
}

function variantOf({ kind, text }: Block, shared: string, terms: readonly (readonly string[])[]): number {
  const sorted = terms.map((term) => JSON.stringify(term)).sort();
  const content = JSON.stringify([shared, kind, text.normalize('NFC').trim(), sorted]);
  // 48 bits are exact in a number. Never 0, which is the variant of a correction.
  return 1 + Number.parseInt(hash('sha256', content).slice(0, 12), 16);
}

/** What the paragraph of a digest is as a neighbour: its bytes 20 to 23. */
function neighbourIn(hex: string): number {
  return 1 + (Number.parseInt(hex.slice(40, 48), 16) % (contextRange - 1));
}

function joinContext(before: number, after: number): number {
  return before * contextRange + after;
}

function splitContext(context: number): [number, number] {
  return [Math.floor(context / contextRange), context % contextRange];
}

function languageCode(tag: string): string {
  return parseLanguage(tag)?.code ?? tag;
}
