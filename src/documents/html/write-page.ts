/** A page with its blocks translated, or each block followed by its translation. Nothing else of the source changes. */
import { escapeText } from '../../escape.ts';
import { plainLine } from '../assemble-document.ts';
import type { WriteOptions } from '../document.ts';
import { Edits } from '../markup/edits.ts';
import { elementsOf, type MarkupElement } from '../markup/markup.ts';
import { translationClass } from '../translation-mark.ts';
import { otherSide, turnCss, turnsAround } from './css.ts';
import { childOfRole, isBlockElement, roleName } from './elements.ts';
import type { InnerPlace, PageBlock } from './inline.ts';
import { labelText } from './labels.ts';
import {
  type Dialect,
  directionOf,
  isSameLanguage,
  isVerticalScript,
  languageAttributes,
  retagLanguage,
  withAttributes,
} from './language-marks.ts';
import type { Page } from './page.ts';
import { closeTag, copyTag, openTag, renderBlock } from './render.ts';

export interface PageWriting extends Omit<WriteOptions, 'edition'> {
  dialect: Dialect;
  /** Translation of the block at this index of the page; undefined keeps the source. */
  translationOf: (index: number) => string | undefined;
  /** New text of `<title>`. */
  title?: string | undefined;
  /** The page ends after this block (-1: before the first); `text` is what the limit left of it. */
  cut?: { index: number; text: string } | undefined;
  /** Links for which this is true lose their target. */
  isDeadLink?: ((href: string) => boolean) | undefined;
  /** Further changes to the source of the page. */
  extraEdits?: Edits;
  /** Markup to add to the head. */
  head?: string | undefined;
}

/** Elements that may stand twice in a row; a second cell or list item would change the table or the numbers. */
const repeatable = new Set(['p', 'div', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** The text of the page, and how many inline tags could not be kept. */
export function writePage(page: Page, writing: PageWriting): { text: string; repairs: number } {
  const writer = new PageWriter(page, writing);
  return writer.write();
}

class PageWriter {
  readonly #page: Page;
  readonly #writing: PageWriting;
  /** Changes of attributes, applied to every tag that is copied. */
  readonly #tags: Edits;
  readonly #edits: Edits;
  readonly #direction: { source: 'rtl' | 'ltr'; target: 'rtl' | 'ltr' };
  readonly #keepsIndent: boolean;
  #repairs = 0;

  constructor(page: Page, writing: PageWriting) {
    this.#page = page;
    this.#writing = writing;
    this.#tags = new Edits(page.tree.source);
    this.#edits = new Edits(page.tree.source);
    const { sourceLang, targetLang } = writing;
    this.#direction = { source: directionOf(sourceLang), target: directionOf(targetLang) };
    this.#keepsIndent = isVerticalScript(targetLang);
  }

  write(): { text: string; repairs: number } {
    this.#markRoot();
    for (const element of elementsOf(this.#page.tree.root)) this.#adaptTag(element);
    this.#writeInnerTexts();
    this.#edits.addAll(this.#tags);
    if (this.#writing.extraEdits !== undefined) this.#edits.addAll(this.#writing.extraEdits);
    this.#adaptHead();
    const { cut } = this.#writing;
    this.#page.blocks.forEach((block, index) => {
      if ((cut !== undefined && index > cut.index) || block.place !== undefined) return;
      const isCut = cut?.index === index && cut.text !== block.text;
      const source = isCut ? cut.text : block.text;
      const translation = this.#writing.translationOf(index);
      if (this.#writing.variant === 'bilingual') this.#pair(block, source, isCut, translation);
      else this.#replace(block, source, isCut, translation);
    });
    if (cut !== undefined) this.#endAfter(this.#lastShown(cut.index));
    return { text: this.#edits.apply(), repairs: this.#repairs };
  }

  /** Into the tags that are copied wherever they go, so that a picture takes its description along. */
  #writeInnerTexts(): void {
    const { cut, variant } = this.#writing;
    const translations = new Map<string, string>();
    const write = (place: InnerPlace, source: string, translation: string | undefined) => {
      if (translation === undefined || translation === source) return;
      const text = variant === 'bilingual' ? `${source} — ${translation}` : translation;
      if (place.kind === 'attribute') this.#tags.setAttribute(place.element, place.name, text);
      else this.#tags.replace(place.start, place.end, escapeText(text));
    };
    this.#page.blocks.forEach((block, index) => {
      if (cut !== undefined && index > cut.index) return;
      const translation = this.#writing.translationOf(index);
      if (translation === undefined) return;
      const text = plainLine(translation);
      translations.set(labelText(block.plain), text);
      if (block.place !== undefined) write(block.place, block.text, text);
    });
    for (const { place, text } of this.#page.repeats) write(place, text, translations.get(text));
  }

  /** A description at the cut may belong to a picture inside a paragraph, which then ends the page as a whole. */
  #lastShown(index: number): PageBlock | undefined {
    const last = this.#page.blocks[index];
    if (last?.place === undefined) return last;
    const around = this.#page.blocks.findLast(
      (block, i) =>
        i < index && block.place === undefined && block.runStart <= last.runStart && block.runEnd >= last.runEnd,
    );
    return around ?? last;
  }

  #markRoot(): void {
    const { root } = this.#page.tree;
    const { targetLang, dialect } = this.#writing;
    if (root.name !== 'html') return;
    const names = new Set(languageAttributes(targetLang, dialect).map(([name]) => name));
    for (const name of ['lang', 'xml:lang']) if (root.attributes[name] !== undefined) names.add(name);
    for (const name of names) this.#tags.setAttribute(root, name, targetLang);
    const direction = this.#direction.target;
    if (direction === 'rtl' || root.attributes.dir !== undefined) this.#tags.setAttribute(root, 'dir', direction);
  }

  #adaptTag(element: MarkupElement): void {
    const { variant, sourceLang, targetLang, isDeadLink } = this.#writing;
    const { href, dir } = element.attributes;
    const charset = element.name === 'meta' ? charsetChange(element) : undefined;
    if (charset !== undefined) this.#tags.setAttribute(element, ...charset);
    if (href !== undefined && isDeadLink?.(href)) this.#tags.setAttribute(element, 'href', undefined);
    if (element.parent === undefined) return;
    const turns = this.#direction.source !== this.#direction.target && dir === this.#direction.source;
    if (turns && (variant === 'translated' || isBlockElement(element))) {
      this.#tags.setAttribute(element, 'dir', this.#direction.target);
    }
    this.#turnAlignment(element);
    if (variant === 'translated' || element.name === 'body') retagLanguage(element, this.#tags, sourceLang, targetLang);
  }

  #turnAlignment(element: MarkupElement): void {
    if (!turnsAround(this.#writing)) return;
    const { align, style } = element.attributes;
    if (align !== undefined && /^(?:left|right)$/i.test(align))
      this.#tags.setAttribute(element, 'align', otherSide(align));
    if (style !== undefined && turnCss(style) !== style) this.#tags.setAttribute(element, 'style', turnCss(style));
    if (roleName(element) !== 'style' || element.openEnd >= element.closeStart) return;
    const css = this.#page.tree.source.slice(element.openEnd, element.closeStart);
    if (turnCss(css) !== css) this.#tags.replace(element.openEnd, element.closeStart, turnCss(css));
  }

  #adaptHead(): void {
    const { title, head: added } = this.#writing;
    const written = this.#page.title;
    if (title !== undefined && written !== undefined && written.openEnd < written.closeStart) {
      this.#edits.replace(written.openEnd, written.closeStart, escapeText(title));
    }
    const head = added === undefined ? undefined : childOfRole(this.#page.tree.root, 'head');
    const hasInside = head !== undefined && (head.implied || head.end > head.openEnd);
    if (hasInside) this.#edits.insert(head.closeStart, `${added}\n`);
  }

  #replace(block: PageBlock, source: string, isCut: boolean, translation: string | undefined): void {
    const text = translation ?? source;
    if (text === source && !isCut) return;
    const start = this.#keepsIndent ? block.start : block.indentStart;
    this.#edits.replace(start, block.end, this.#render(block, text, source, false));
  }

  #pair(block: PageBlock, source: string, isCut: boolean, translation: string | undefined): void {
    const isSibling = block.isWhole && !block.container.implied && repeatable.has(block.container.name);
    const sourceMarks = this.#marks('source');
    if (isCut) this.#edits.replace(block.start, block.end, this.#render(block, source, source, false));
    if (isSibling) {
      const { lang, 'xml:lang': xmlLang } = block.container.attributes;
      if (lang === undefined && xmlLang === undefined) {
        for (const [name, value] of sourceMarks) this.#edits.setAttribute(block.container, name, value);
      }
    } else {
      this.#edits.insert(block.runStart, withAttributes('<span>', sourceMarks));
      this.#edits.insert(block.runEnd, '</span>');
    }
    // A text that stays as it is (a numeral, a name) is not said twice.
    if (translation === undefined || translation === source) return;
    const shells = block.shells.map((shell) => this.#retag(copyTag(openTag(shell, this.#tags), true)));
    const ends = block.shells.toReversed().map((shell) => closeTag(shell, this.#tags.source));
    const inner = [...shells, this.#render(block, translation, source, true), ...ends].join('');
    const marks = this.#marks('target');
    if (isSibling) {
      const classes = [block.container.attributes.class, translationClass].filter(Boolean).join(' ');
      const own: [string, string][] = [...marks, ['class', classes]];
      const open = withAttributes(copyTag(openTag(block.container, this.#tags), true), own);
      const close = closeTag(block.container, this.#tags.source);
      this.#edits.insert(block.container.end, `\n${open}${inner}${close}`);
    } else {
      const lineBreak = this.#writing.dialect === 'html' ? '<br>' : '<br/>';
      this.#edits.insert(
        block.runEnd,
        `${lineBreak}${withAttributes('<span>', [...marks, ['class', translationClass]])}${inner}</span>`,
      );
    }
  }

  #marks(side: 'source' | 'target'): [string, string][] {
    const { sourceLang, targetLang, dialect } = this.#writing;
    const marks = languageAttributes(side === 'source' ? sourceLang : targetLang, dialect);
    const direction = this.#direction[side];
    return direction === this.#direction.target ? marks : [...marks, ['dir', direction]];
  }

  #render(block: PageBlock, text: string, source: string, isCopy: boolean): string {
    const retag = (tag: string) => (isCopy ? this.#retag(tag) : tag);
    const rendered = renderBlock(block, text, this.#tags, { source, isCopy, retag });
    this.#repairs += rendered.repairs;
    return rendered.markup;
  }

  /** Tags copied to the translation that name the source language name the target language there. */
  #retag(tag: string): string {
    const { sourceLang, targetLang } = this.#writing;
    return tag.replace(/(\s(?:xml:)?lang\s*=\s*["'])([^"']*)/gi, (whole, before: string, value: string) =>
      isSameLanguage(value, sourceLang) ? before + targetLang : whole,
    );
  }

  /** Removes what follows the block: in its own element, then in every element around it. */
  #endAfter(block: PageBlock | undefined): void {
    if (block === undefined) {
      const body = childOfRole(this.#page.tree.root, 'body');
      if (body !== undefined) this.#edits.remove(body.openEnd, body.closeStart);
      return;
    }
    // Preformatted text may end in blanks that the run leaves out.
    this.#edits.remove(Math.max(block.end, block.runEnd), block.container.closeStart);
    for (let at = block.container; at.parent !== undefined && at.name !== 'body'; at = at.parent) {
      if (at.end < at.parent.closeStart) this.#edits.remove(at.end, at.parent.closeStart);
    }
  }
}

/** The output is UTF-8, so a page that names another encoding must not go on doing so. */
function charsetChange(element: MarkupElement): [string, string] | undefined {
  const { charset, content, 'http-equiv': equivalent } = element.attributes;
  if (charset !== undefined && !/^utf-?8$/i.test(charset.trim())) return ['charset', 'utf-8'];
  if (equivalent?.toLowerCase() !== 'content-type' || content === undefined) return undefined;
  const changed = content.replace(/charset\s*=\s*[\w:-]+/i, 'charset=utf-8');
  return /charset\s*=\s*utf-?8/i.test(content) || changed === content ? undefined : ['content', changed];
}
