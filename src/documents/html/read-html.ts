/** Reads an HTML page as a document. */
import { assembleDocument } from '../assemble-document.ts';
import type { DocumentWarning, ReadOptions, ReadResult } from '../document.ts';
import { decodeHtml } from '../encoding/html-encoding.ts';
import { LicenceFrame } from '../licence-text.ts';
import { childElements, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import { childOfRole, roleName } from './elements.ts';
import { italicClasses } from './italics.ts';
import { LabelIndex, labelText, takeLabel } from './labels.ts';
import { type Page, readPage } from './page.ts';
import { parseHtml } from './parse-html.ts';
import { sectionsOf } from './sections.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE and the XML_ reasons */
export function openHtml(bytes: Uint8Array) {
  const { text, encoding, warnings } = decodeHtml(bytes);
  const tree = parseHtml(text);
  const page = readPage(tree, { licence: new LicenceFrame() });
  return { page, encoding, isNormalised: tree.isNormalised, warnings };
}

export function readHtml(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const { page, encoding, isNormalised, warnings: encodingWarnings } = openHtml(bytes);
  const italic = italicClasses(innerCss(page));
  const drafts = sectionsOf(page.blocks, (name) => italic.has(name));
  const index = new LabelIndex();
  for (const block of page.blocks) index.add({ id: '', ...block });
  const title = page.title === undefined ? '' : textOf(page.title);
  const label = takeLabel(title, index, page.skipped);
  if (label !== undefined) drafts.push({ title: undefined, blocks: [label] });
  const { root } = page.tree;
  const facts = {
    format: 'html' as const,
    encoding,
    title: labelText(title) || drafts[0]?.title,
    author: metaContent(root, 'author'),
    declaredLanguage: root.attributes.lang || root.attributes['xml:lang'] || undefined,
    writingMode: isVerticalCss(page.tree.source) ? ('vertical' as const) : ('horizontal' as const),
    hasRuby: page.hasRuby,
    imageCount: page.images,
    textCharacters: page.textCharacters,
  };
  const warnings: DocumentWarning[] = isNormalised
    ? [{ code: 'HTML_NORMALISED', message: 'Tags of the page cross; its markup was put in order.' }]
    : [];
  return {
    document: assembleDocument(facts, drafts, page.skipped, options.charLimit),
    warnings: [...encodingWarnings, ...warnings],
  };
}

/** What the page says about its looks itself. */
export function innerCss({ tree }: Page): string {
  const head = childOfRole(tree.root, 'head');
  const styles = head === undefined ? [] : childElements(head).filter((element) => roleName(element) === 'style');
  return styles.map(textOf).join('\n');
}

export function isVerticalCss(css: string): boolean {
  return /writing-mode\s*:\s*(vertical-(rl|lr)|tb-rl)/i.test(css);
}

function metaContent(root: MarkupElement, name: string): string | undefined {
  const head = childOfRole(root, 'head');
  const isAsked = (element: MarkupElement) =>
    element.name === 'meta' && element.attributes.name?.toLowerCase() === name;
  return (head && elementsOf(head).find(isAsked)?.attributes.content?.trim()) || undefined;
}
