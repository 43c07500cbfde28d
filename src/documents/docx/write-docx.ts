/** Writes a Word document with its text translated. Styles and every entry without text stay byte-identical. */
import { escapeText } from '../../escape.ts';
import { isRightToLeft } from '../../language/languages.ts';
import { rewriteArchive } from '../archive/archive-writer.ts';
import type { WriteOptions, Writer } from '../document.ts';
import type { FlowBlock, FlowPart } from '../flow/flow-part.ts';
import type { Group } from '../flow/inline-items.ts';
import type { FlowDialect } from '../flow/render-flow.ts';
import { writeFlow, writtenParts } from '../flow/write-flow.ts';
import type { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement } from '../markup/markup.ts';
import { besideColour, markSide } from '../translation-mark.ts';
import { type DocxSource, openDocx } from './docx-source.ts';
import { drawnCopy, drawnDialect } from './drawn-text.ts';
import { coloured, directParagraph, lineBeside, styleForLanguage } from './run-style.ts';

export const writeDocx: Writer = (bytes, document, translations, options) => {
  const source = openDocx(bytes);
  const { edits, warnings } = writeFlow(source.parts, source.blocks, {
    document,
    translations,
    options,
    dialectOf: (block, isBeside) => dialectOf(block, options.targetLang, isBeside),
    copyOf: (block, inner) => copyOf(block, inner, options),
    onTranslated: (block, partEdits) => directInPlace(block, partEdits, options),
    isKeptAfterCut: (element) => element.name === 'w:sectPr',
    mirrors: source.mirrors,
    repeats: source.repeats,
    prepare: (part, partEdits) => {
      dropDeleted(source, part, partEdits);
      unbind(part, partEdits);
    },
  });
  return {
    bytes: rewriteArchive(source.archive, { replace: writtenParts(edits) }),
    extension: 'docx',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    warnings,
  };
};

/** Paragraphs that are bound to data elsewhere in the file would show the source again as soon as it is opened. */
function unbind({ tree }: FlowPart, edits: Edits): void {
  if (!tree.source.includes('<w:dataBinding')) return;
  for (const element of elementsOf(tree.root)) {
    const content = elementAtPath(element.parent?.parent, 'w:sdtContent');
    if (element.name !== 'w:dataBinding' || content === undefined) continue;
    if (elementsOf(content).some(({ name }) => name === 'w:p')) edits.remove(element.start, element.end);
  }
}

/** Every stretch of text is a run with the formatting of the innermost tag around it. */
function dialectOf(block: FlowBlock, lang: string, isBeside: boolean): FlowDialect {
  if (block.container.name !== 'w:p') return drawnDialect(block.container, block.baseStyle ?? '', lang);
  const styleOf = (groups: readonly Group[]) => {
    const style = groups.findLast((group) => group.style !== undefined)?.style ?? block.baseStyle ?? '';
    // A cell has no room for a line in it.
    const isGrey = isBeside && (block.kind === 'heading' || block.kind === 'cell');
    return styleForLanguage(isGrey ? coloured(style, besideColour) : style, lang);
  };
  return {
    text: (text, groups) => `<w:r>${styleOf(groups)}<w:t xml:space="preserve">${escapeText(text)}</w:t></w:r>`,
    lineBreak: (groups) => `<w:r>${styleOf(groups)}<w:br/></w:r>`,
  };
}

/** A heading stays one entry of the outline; a list item is not counted twice; a section break stays with the source. */
function copyOf(block: FlowBlock, inner: string, options: WriteOptions): string | undefined {
  if (block.kind === 'heading') return undefined;
  if (block.container.name !== 'w:p') return drawnCopy(block.container, inner, block.part.tree.source);
  const properties = propertiesOf(block)
    .replace(/<w:numPr\b[\s\S]*?<\/w:numPr>/, '')
    .replace(/<w:sectPr\b[\s\S]*?<\/w:sectPr>/, '')
    .replace(/<w:pPrChange\b[\s\S]*?<\/w:pPrChange>/, '');
  const own = lineBeside(directed(properties, options) ?? properties, markSide(options.targetLang));
  return `<w:p>${own}${inner}</w:p>`;
}

function directInPlace(block: FlowBlock, edits: Edits, options: WriteOptions): void {
  if (block.container.name !== 'w:p') return;
  const changed = directed(propertiesOf(block), options);
  if (changed === undefined) return;
  const properties = elementAtPath(block.container, 'w:pPr');
  if (properties === undefined) edits.insert(block.container.openEnd, changed);
  else edits.replace(properties.start, properties.end, changed);
}

function directed(properties: string, { sourceLang, targetLang }: WriteOptions): string | undefined {
  const rtl = isRightToLeft(targetLang);
  return directParagraph(properties, rtl, isRightToLeft(sourceLang) !== rtl);
}

function propertiesOf(block: FlowBlock): string {
  const properties = childElements(block.container, 'w:pPr')[0];
  return properties === undefined ? '' : block.part.tree.source.slice(properties.start, properties.end);
}

/** Takes out of a translation what tracked changes had deleted or moved away: it would stay in the source language. */
function dropDeleted(source: DocxSource, part: FlowPart, edits: Edits): void {
  const gone = new Set(source.deleted.filter((deleted) => deleted.part === part).map(({ element }) => element));
  const paragraphs = new Set<MarkupElement>();
  for (const element of gone) {
    edits.remove(element.start, element.end);
    const paragraph = element.parent;
    if (paragraph?.name !== 'w:p' || paragraphs.has(paragraph)) continue;
    paragraphs.add(paragraph);
    if (isDeletedParagraph(paragraph, gone)) edits.remove(paragraph.start, paragraph.end);
  }
  // The marks around a move name two places, one of which is gone.
  if (!part.tree.source.includes('<w:move')) return;
  for (const element of elementsOf(part.tree.root))
    if (/^w:move(?:From|To)Range(?:Start|End)$/.test(element.name)) edits.remove(element.start, element.end);
}

/** The end of the paragraph is deleted too, and nothing else is in it. The last paragraph of a cell or the like is kept. */
function isDeletedParagraph(paragraph: MarkupElement, gone: ReadonlySet<MarkupElement>): boolean {
  const properties = elementAtPath(paragraph, 'w:pPr');
  const end = elementAtPath(properties, 'w:rPr', 'w:del') ?? elementAtPath(properties, 'w:rPr', 'w:moveFrom');
  if (end === undefined || elementAtPath(properties, 'w:sectPr') !== undefined) return false;
  const rest = childElements(paragraph).filter(
    (child) => child !== properties && !gone.has(child) && !/Range(?:Start|End)$/.test(child.name),
  );
  const later = paragraph.parent?.children.some(
    (sibling) => sibling.kind === 'element' && sibling.name === 'w:p' && sibling.start > paragraph.start,
  );
  return rest.length === 0 && later === true;
}
