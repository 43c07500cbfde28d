/** Writes an FB2 book with its text translated, as UTF-8; a zipped book stays zipped. */
import { escapeText } from '../../escape.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { openArchive } from '../archive/archive.ts';
import { rewriteArchive } from '../archive/archive-writer.ts';
import { blocksOf, type Document, type Translations, type WriteOptions, type Writer } from '../document.ts';
import { encodeXml } from '../encoding/xml-encoding.ts';
import type { FlowBlock } from '../flow/flow-part.ts';
import type { FlowDialect } from '../flow/render-flow.ts';
import { writeFlow } from '../flow/write-flow.ts';
import type { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsAround, type MarkupElement } from '../markup/markup.ts';
import { bareText, type Fb2Source, openFb2 } from './fb2-source.ts';

export const writeFb2: Writer = (bytes, document, translations, options) => {
  const source = openFb2(bytes);
  const { edits, warnings } = writeFlow([source.part], source.blocks, {
    document,
    translations,
    options,
    dialectOf: () => dialect,
    copyOf: (block, inner) => copyOf(block, inner, source.part.tree.source),
    setOff,
  });
  const bookEdits = edits.get(source.part) as Edits;
  if (translations.size > 0) setLanguage(source, bookEdits, options);
  repeatTitle(source, document, translations, bookEdits, options);
  if (document.characters < document.totalCharacters) dropLaterBodies(source, document, bookEdits);
  const written = encodeXml(bookEdits.apply());
  if (source.entryName === undefined) {
    return { bytes: written, extension: 'fb2', mediaType: 'application/x-fictionbook+xml', warnings };
  }
  const packed = rewriteArchive(openArchive(bytes), { replace: new Map([[source.entryName, written]]) });
  return { bytes: packed, extension: 'fb2.zip', mediaType: 'application/zip', warnings };
};

const dialect: FlowDialect = {
  text: (text) => escapeText(text),
  // The format has no line break inside a paragraph.
  lineBreak: () => ' ',
};

/** Cells, the book title and text in no paragraph: there the translation follows in the same element. */
function copyOf(block: FlowBlock, inner: string, source: string): string | undefined {
  const { container } = block;
  if (['td', 'th', 'book-title', 'date', bareText].includes(container.name)) return undefined;
  const open = source.slice(container.start, container.openEnd).replace(/\s+id\s*=\s*(?:"[^"]*"|'[^']*')/, '');
  return `\n${open}${emphasised(inner)}${source.slice(container.closeStart, container.end)}`;
}

/** Title and date of the description hold plain text. */
function setOff({ container }: FlowBlock, inner: string): string {
  return ['book-title', 'date'].includes(container.name) ? inner : emphasised(inner);
}

function emphasised(inner: string): string {
  return `<emphasis>${inner}</emphasis>`;
}

function repeatTitle(
  { repeatedTitle }: Fb2Source,
  document: Document,
  translations: Translations,
  edits: Edits,
  { variant }: WriteOptions,
): void {
  const heading = blocksOf(document).find((block) => block.kind === 'heading' && block.text === repeatedTitle?.text);
  const translation = heading === undefined ? undefined : translations.get(heading.id);
  if (repeatedTitle === undefined || translation === undefined) return;
  const title = stripInlineTags(translation);
  if (variant === 'bilingual') edits.insert(repeatedTitle.end, ` ${escapeText(title)}`);
  else edits.replace(repeatedTitle.start, repeatedTitle.end, escapeText(title));
}

/** `lang` is what the book is in now, `src-lang` what it was written in. */
function setLanguage({ titleInfo }: Fb2Source, edits: Edits, options: WriteOptions): void {
  const lang = elementAtPath(titleInfo, 'lang');
  if (lang === undefined) return;
  edits.replace(lang.openEnd, lang.closeStart, options.targetLang);
  if (elementAtPath(titleInfo, 'src-lang') === undefined)
    edits.insert(lang.end, `<src-lang>${options.sourceLang}</src-lang>`);
}

/** A limited book ends within its first body; later bodies keep only the notes that were reached. */
function dropLaterBodies(source: Fb2Source, document: Document, edits: Edits): void {
  const keptCount = blocksOf(document).length;
  const reached = new Set<MarkupElement>();
  for (const { container } of source.blocks.slice(0, keptCount))
    for (const element of elementsAround(container)) reached.add(element);
  const bodies = childElements(source.part.tree.root, 'body').slice(1);
  for (const body of bodies) {
    if (!reached.has(body)) edits.remove(body.start, body.end);
    else
      for (const section of childElements(body, 'section'))
        if (!reached.has(section)) edits.remove(section.start, section.end);
  }
}
