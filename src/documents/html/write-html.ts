/** Writes an HTML page with its text translated. */
import { isLimited } from '../assemble-document.ts';
import { blocksOf, type Document, repairWarnings, type Writer } from '../document.ts';
import { textOf } from '../markup/markup.ts';
import { adaptingCss } from './css.ts';
import { keptIds } from './kept-ids.ts';
import { LabelIndex, labelTranslator } from './labels.ts';
import type { Page } from './page.ts';
import { openHtml } from './read-html.ts';
import { writePage } from './write-page.ts';

export const writeHtml: Writer = (bytes, document, translations, options) => {
  const { page, encoding } = openHtml(bytes);
  const cut = isLimited(document) ? cutOf(page, document) : undefined;
  const ids = cut && keptIds(page, cut);
  const labels = new LabelIndex();
  for (const block of blocksOf(document)) labels.add(block);
  const translateLabel = labelTranslator(labels, translations, options.variant);
  const css = adaptingCss(page.tree.source, options);
  const charset = encoding !== 'utf-8' && !/<meta[^>]*charset/i.test(page.tree.source) ? '<meta charset="utf-8">' : '';
  const head = charset + (css === undefined ? '' : `<style>${css}</style>`);
  const { text, repairs } = writePage(page, {
    ...options,
    dialect: 'html',
    translationOf: (index) => translations.get(`b${index + 1}`),
    title: page.title && translateLabel(textOf(page.title)),
    cut,
    head: head || undefined,
    isDeadLink: ids && ((href) => href.startsWith('#') && !ids.has(decodeFragment(href))),
  });
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? '\ufeff' : '';
  return {
    bytes: Buffer.from(mark + text, 'utf8'),
    extension: 'html',
    mediaType: 'text/html',
    warnings: repairWarnings(repairs),
  };
};

function decodeFragment(href: string): string {
  const fragment = href.slice(href.indexOf('#') + 1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Where the opening range ends on the page; undefined when all of its blocks are in the range. */
function cutOf(page: Page, document: Document): { index: number; text: string } | undefined {
  const kept = blocksOf(document).slice(0, page.blocks.length);
  const text = kept.at(-1)?.text ?? '';
  if (kept.length === page.blocks.length && text === page.blocks.at(-1)?.text) return undefined;
  return { index: kept.length - 1, text };
}
