/** Takes out of a translation what tracked changes had deleted or moved away: it would stay in the source language. */
import type { FlowPart } from '../flow/flow-part.ts';
import type { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement } from '../markup/markup.ts';
import type { DocxSource } from './docx-source.ts';

export function dropDeleted(source: DocxSource, part: FlowPart, edits: Edits): void {
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
