/** Where a novel begins behind its imprint, contents and preface, for previews that are to start there. */
import { stripInlineTags } from '../inline-tags.ts';
import { hasImprintMark, isFrontMatterTitle } from '../language/front-matter-words.ts';
import { blocksOf, charactersIn, type Document, type ReadResult, type Section } from './document.ts';

/** An imprint is a page; a chapter that mentions a copyright is longer. */
const maxImprintCharacters = 5_000;
/** Less than this is a motto or a dedication, in a book of some length. */
const minProseCharacters = 300;

/**
 * Counted characters of the whole source before its first chapter of prose. 0 where no chapter can be told from the pages
 * before it: then a preview begins where the book begins.
 */
export function frontMatterCharacters(whole: ReadResult): number {
  const { document } = whole;
  const needed = Math.min(minProseCharacters, document.totalCharacters / 20);
  const titles = new Set(document.sections.flatMap(titleKeys));
  const first = document.sections.findIndex((section) => isProse(section, needed) && !isContents(section, titles));
  const before = first < 1 ? 0 : sectionStart(whole, first);
  return before > document.totalCharacters / 2 ? 0 : before;
}

/** The document without its first `before` counted characters; they are told as skipped. */
export function withoutOpening(result: ReadResult, before: number): Document {
  const { document } = result;
  const sections = document.sections.filter((_, index) => sectionStart(result, index) >= before).map(asFirst);
  const kept = { ...document, sections };
  const characters = charactersIn(blocksOf(document)) - charactersIn(blocksOf(kept));
  return {
    ...kept,
    characters: Math.max(0, document.characters - before),
    skipped: [...document.skipped, { reason: 'front-matter', characters }],
  };
}

/** The white space in front of the first section belongs to what was left out. */
function asFirst(section: Section, index: number): Section {
  const [first, ...others] = section.blocks;
  return index > 0 || first === undefined ? section : { ...section, blocks: [{ ...first, before: 0 }, ...others] };
}

function sectionStart({ document, sectionStart }: ReadResult, index: number): number {
  return sectionStart?.(index) ?? charactersIn(document.sections.slice(0, index).flatMap(({ blocks }) => blocks));
}

/** Fewer lines than this may name a chapter by chance. */
const minContentsLines = 3;

/** Contents need not say so, and their lines may end like sentences: most of them are the titles of the chapters. */
function isContents({ blocks }: Section, titles: ReadonlySet<string>): boolean {
  const lines = blocks
    .flatMap(({ text }) => stripInlineTags(text).split('\n'))
    .map(titleKey)
    .filter((line) => line !== '');
  const listed = lines.filter((line) => titles.has(line)).length;
  return listed >= minContentsLines && listed * 2 > lines.length;
}

/** As contents may name a chapter: by its title, alone or with the line beneath it. */
function titleKeys({ title = '', blocks }: Section): string[] {
  const beneath = blocks.find(({ kind }) => kind !== 'heading')?.text ?? '';
  return title === ''
    ? []
    : [titleKey(title), titleKey(`${title} ${stripInlineTags(beneath).slice(0, maxTitleLength)}`)];
}

const maxTitleLength = 200;

/** What a line of contents and the title of its chapter have in common: neither points, dashes nor the number of a page. */
function titleKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
    .replace(/(?<=\p{L})\p{Nd}+$/u, '');
}

/** Prose is paragraphs that end like sentences; lines of contents, names and dates do not. */
function isProse({ title, blocks }: Section, needed: number): boolean {
  const headings = blocks.filter(({ kind }) => kind === 'heading').map(({ text }) => stripInlineTags(text));
  if ([title ?? '', headings[0] ?? ''].some(isFrontMatterTitle)) return false;
  const texts = blocks
    .filter(({ kind }) => kind !== 'heading' && kind !== 'label')
    .map(({ text }) => stripInlineTags(text));
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  if (all <= maxImprintCharacters && texts.some(hasImprintMark)) return false;
  const inSentences = texts
    .filter((text) => /[.!?…。．｡！？؟۔।]["'’”»«)\]」』）]*\s*$/u.test(text))
    .reduce((sum, text) => sum + text.length, 0);
  return inSentences >= needed && inSentences * 2 >= all;
}
