/**
 * The blocks of an HTML or XHTML page. Every text node ends in a block or in `skipped`. A run of inline nodes is a
 * block wherever it stands: in a paragraph, in a bare `<body>`, between two tables or after a `<blockquote>`.
 */

import { HeadingCount } from '../assemble-document.ts';
import { type BlockKind, charactersIn } from '../document.ts';
import type { LicenceFrame } from '../licence-text.ts';
import { elementsOf, type MarkupElement, type MarkupNode, type MarkupTree, textOf } from '../markup/markup.ts';
import { SkipTally } from '../skip-tally.ts';
import { unaccountedText } from '../source-faults.ts';
import { isBlockElement, isLineBreak, isNote, roleName, skipReasonOf } from './elements.ts';
import { countText, type PageBlock, readInlineRun } from './inline.ts';
import { type RepeatedText, readInnerTexts } from './inner-texts.ts';

export interface Page {
  tree: MarkupTree;
  blocks: PageBlock[];
  skipped: SkipTally;
  textCharacters: number;
  images: number;
  hasRuby: boolean;
  /** `<title>` of the head; its text is counted, but in no block and not skipped: the caller decides. */
  title: MarkupElement | undefined;
  /** Texts outside the paragraphs that take the translation of another text of the page. */
  repeats: RepeatedText[];
}

export interface PageOptions {
  /** Read what the page hides: a reader's own contents list shows entries that the page itself does not. */
  readsHidden?: boolean;
  /** Takes the frame of a distributor out of the book that the page is part of. */
  licence?: LicenceFrame;
  /** Names the page in a fault. */
  part?: string;
}

/**
 * A run with `<br>` of more characters than this is not verse but prose whose paragraphs are lines, as in web novels.
 * Each line is a block of its own.
 */
const verseCharacters = 2000;

/** @throws BAD_REQUEST UNREADABLE_SOURCE */
export function readPage(tree: MarkupTree, options: PageOptions = {}): Page {
  const page: Page = {
    tree,
    blocks: [],
    skipped: new SkipTally(),
    textCharacters: countText(tree.root),
    images: 0,
    hasRuby: false,
    title: undefined,
    repeats: [],
  };
  new PageReader(page, options.readsHidden === true).flow(tree.root, false);
  const inner = readInnerTexts(tree.root, page.blocks, page.skipped);
  page.repeats = inner.repeats;
  page.textCharacters += inner.attributeCharacters;
  page.blocks = [...page.blocks, ...inner.blocks].sort((a, b) => a.runStart - b.runStart);
  assertPageCoverage(page, options.part);
  if (options.licence !== undefined) page.blocks = options.licence.bookBlocks(page.blocks, page.skipped);
  for (const element of elementsOf(tree.root)) {
    if (['img', 'image'].includes(roleName(element))) page.images++;
    if (element.name === 'ruby') page.hasRuby = true;
  }
  return page;
}

function assertPageCoverage(page: Page, part: string | undefined): void {
  const inTitle = page.title === undefined ? 0 : countText(page.title);
  const found = charactersIn(page.blocks) + inTitle + page.skipped.total;
  if (found !== page.textCharacters) throw unaccountedText(part ?? 'page', page.textCharacters, found);
}

class PageReader {
  readonly #page: Page;
  readonly #readsHidden: boolean;
  readonly #headings = new HeadingCount();
  /** Elements that stand on lines of their own because of what they are or what they hold. */
  readonly #blockLevel: ReadonlySet<MarkupElement>;

  constructor(page: Page, readsHidden: boolean) {
    this.#page = page;
    this.#readsHidden = readsHidden;
    this.#blockLevel = findBlockLevel(page.tree.root);
  }

  flow(container: MarkupElement, inNote: boolean): void {
    const reason = skipReasonOf(container) ?? preReason(container);
    if (reason !== undefined && !(reason === 'hidden' && this.#readsHidden)) {
      this.#page.skipped.add(reason, countText(container));
      return;
    }
    if (roleName(container) === 'head') {
      this.#head(container);
      return;
    }
    const note = inNote || isNote(container);
    const linesAreBlocks = container.name !== 'pre' && hasLongLines(container, this.#blockLevel);
    let run: MarkupNode[] = [];
    let isWhole = true;
    const flush = () => {
      if (run.length > 0) this.#addRun(run, container, isWhole, note);
      run = [];
    };
    container.children.forEach((node, i) => {
      if (node.kind === 'element' && this.#blockLevel.has(node)) {
        isWhole = false;
        flush();
        this.flow(node, note);
      } else if (isLineBreak(node) && (linesAreBlocks || isDoubleBreak(container.children, i))) {
        isWhole = false;
        flush();
        this.#page.skipped.add('whitespace', 1);
      } else {
        run.push(node);
      }
    });
    flush();
  }

  #head(head: MarkupElement): void {
    for (const node of head.children) {
      const isTitle = node.kind === 'element' && roleName(node) === 'title';
      if (isTitle && this.#page.title === undefined) this.#page.title = node;
      else if (node.kind === 'text') this.#page.skipped.add('whitespace', countText(node));
      else this.#page.skipped.add(skipReasonOf(node) ?? 'metadata', countText(node));
    }
  }

  #addRun(nodes: MarkupNode[], container: MarkupElement, isWhole: boolean, note: boolean): void {
    const { tree, skipped, blocks } = this.#page;
    const run = readInlineRun(nodes, tree.source, skipped, container.name === 'pre');
    if (run === undefined) return;
    const { plain, characters } = run;
    if (!/\p{L}/u.test(plain)) {
      skipped.add('separator', characters);
      return;
    }
    const level = Number(/^h([1-6])$/.exec(roleName(container))?.[1] ?? 0);
    if (level > 0) this.#headings.add();
    blocks.push({ ...run, kind: kindOf(container, note, plain), level, container, isWhole });
  }
}

function kindOf(container: MarkupElement, note: boolean, plain: string): BlockKind {
  const name = roleName(container);
  if (/^h[1-6]$/.test(name)) return 'heading';
  if (note) return 'note';
  if (name === 'figcaption' || name === 'caption' || name === 'legend') return 'caption';
  if (name === 'td' || name === 'th') return 'cell';
  if (name === 'li' || name === 'dt' || name === 'dd') return 'list-item';
  return plain.includes('\n') ? 'verse' : 'paragraph';
}

/** Program text is kept; a `<pre>` without `<code>` is a poem or a letter in a novel. */
function preReason(element: MarkupElement): 'code' | undefined {
  if (element.name !== 'pre') return undefined;
  return element.children.some((child) => child.kind === 'element' && child.name === 'code') ? 'code' : undefined;
}

function findBlockLevel(root: MarkupElement): Set<MarkupElement> {
  const found = new Set<MarkupElement>();
  for (const element of elementsOf(root)) {
    const holdsParagraphs = element.children.some((_, i) => isDoubleBreak(element.children, i));
    if (!isBlockElement(element) && !holdsParagraphs) continue;
    for (let at: MarkupElement | undefined = element; at !== undefined && !found.has(at); at = at.parent) found.add(at);
  }
  return found;
}

/** A `<br>` next to another one: an empty line, which separates paragraphs. */
function isDoubleBreak(siblings: readonly MarkupNode[], i: number): boolean {
  if (!isLineBreak(siblings[i])) return false;
  const blank = (node: MarkupNode | undefined) => node?.kind === 'text' && node.text.trim() === '';
  const next = blank(siblings[i + 1]) ? i + 2 : i + 1;
  const previous = blank(siblings[i - 1]) ? i - 2 : i - 1;
  return isLineBreak(siblings[next]) || isLineBreak(siblings[previous]);
}

function hasLongLines(container: MarkupElement, blockLevel: ReadonlySet<MarkupElement>): boolean {
  if (!container.children.some(isLineBreak)) return false;
  let length = 0;
  for (const node of container.children) {
    if (node.kind === 'element' && blockLevel.has(node)) continue;
    length += node.kind === 'text' ? node.text.length : isLineBreak(node) ? 0 : textOf(node).length;
    if (length > verseCharacters) return true;
  }
  return false;
}
