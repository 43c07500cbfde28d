/** Splices translations into the parts of a document; formats add their own marks of language and direction. */
import { isLimited } from '../assemble-document.ts';
import {
  blocksOf,
  type Document,
  type DocumentWarning,
  repairWarnings,
  type Translations,
  type WriteOptions,
} from '../document.ts';
import { encodeXml } from '../encoding/xml-encoding.ts';
import { Edits, firstFrom } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';
import type { FlowBlock, FlowPart } from './flow-part.ts';
import type { FlowText } from './inline-items.ts';
import { type FlowDialect, type Rendered, renderFlow } from './render-flow.ts';

/** Two elements with the same content: what is written in one is written in the other. */
export interface Mirror {
  from: MarkupElement;
  to: MarkupElement;
}

/** A text that the document has twice: it is written with the translation of the block at this index. */
export interface Repeat {
  block: FlowBlock;
  index: number;
}

export interface FlowWriting {
  document: Document;
  translations: Translations;
  options: WriteOptions;
  /** `isBeside`: of a translation that stands beside its source. */
  dialectOf(block: FlowBlock, isBeside: boolean): FlowDialect;
  /** A copy of the paragraph's element around `inner`; undefined to put source and translation into the same element. */
  copyOf(block: FlowBlock, inner: string): string | undefined;
  /** A translation in the element of its source, made to differ from it at sight. */
  setOff?(block: FlowBlock, inner: string): string;
  /** What a translated document does not take over, before any paragraph is copied: it may lie inside a text box of one. */
  prepare?(part: FlowPart, edits: Edits): void;
  /** Called for each paragraph that is translated in place. */
  onTranslated?(block: FlowBlock, edits: Edits): void;
  /** Children of the body that a limited document keeps after its last paragraph, such as page settings. */
  isKeptAfterCut?(element: MarkupElement): boolean;
  mirrors?: readonly (Mirror & { part: FlowPart })[];
  repeats?: readonly Repeat[];
}

export interface WrittenFlow {
  edits: ReadonlyMap<FlowPart, Edits>;
  warnings: DocumentWarning[];
}

/** What the archive of a document gets, by entry. */
export function writtenParts(edits: WrittenFlow['edits']): Map<string, Uint8Array> {
  const changed = [...edits].filter(([, partEdits]) => !partEdits.isEmpty);
  return new Map(changed.map(([part, partEdits]) => [part.name, encodeXml(partEdits.apply())]));
}

/** `blocks` in the order of the document, so that the n-th has the id `b{n}`. */
export function writeFlow(parts: readonly FlowPart[], blocks: readonly FlowBlock[], writing: FlowWriting): WrittenFlow {
  const edits = new Map(parts.map((part) => [part, new Edits(part.tree.source)]));
  if (writing.translations.size > 0) for (const [part, partEdits] of edits) writing.prepare?.(part, partEdits);
  const read = blocksOf(writing.document);
  const limited = isLimited(writing.document);
  const kept = limited ? Number((read.at(-1)?.id ?? 'b0').slice(1)) : blocks.length;
  const cutText = limited ? read.at(-1)?.text : undefined;
  const slices = new Map(parts.map((part) => [part, slicer(edits.get(part) as Edits, blocks, part)]));
  let repairs = 0;
  const steps = [
    ...[...blocks.map((block, index) => ({ block, index })), ...(writing.repeats ?? [])].map((step) => ({
      ...step,
      start: step.block.start,
    })),
    ...(writing.mirrors ?? []).map((mirror) => ({ mirror, start: Math.min(mirror.from.start, mirror.to.start) })),
  ];
  // From the end: a note or text box inside a paragraph has its edits before the paragraph copies it.
  for (const step of steps.toSorted((a, b) => b.start - a.start)) {
    if ('mirror' in step) {
      writeMirror(step.mirror, edits.get(step.mirror.part) as Edits);
      continue;
    }
    const { block, index } = step;
    const partEdits = edits.get(block.part) as Edits;
    if (index >= kept) {
      // Whatever of the body lies behind the cut goes as a whole below; notes lose their text, titles and headers stay.
      if (block.kind !== 'label') partEdits.remove(block.start, block.end);
      continue;
    }
    const source = index === kept - 1 && cutText !== undefined ? cutText : block.text;
    const translation = writing.translations.get(`b${index + 1}`);
    const repaired = writeBlock(block, source, translation, partEdits, slices.get(block.part) as Slicer, writing);
    // The tags of a text need not be those of the place that repeats it.
    if (block === blocks[index]) repairs += repaired;
  }
  if (limited) for (const part of parts) endAfter(part, blocks.slice(0, kept), edits.get(part) as Edits, writing);
  return { edits, warnings: repairWarnings(repairs) };
}

function writeMirror({ from, to }: Mirror, edits: Edits): void {
  const written = edits.slice(from.openEnd, from.closeStart);
  if (written !== edits.source.slice(from.openEnd, from.closeStart)) edits.replace(to.openEnd, to.closeStart, written);
}

function writeBlock(
  block: FlowBlock,
  source: string,
  translation: string | undefined,
  edits: Edits,
  sliceOf: Slicer,
  writing: FlowWriting,
): number {
  const { variant } = writing.options;
  const repairs = writeText({ block, source, translation, variant }, edits, {
    render: (text, isCopy) =>
      renderFlow(block, text, source, { dialect: writing.dialectOf(block, isCopy), sliceOf, isCopy }),
    putBeside: (markup) => {
      const sibling = writing.copyOf(block, markup);
      const lineBreak = writing.dialectOf(block, false).lineBreak([]);
      if (sibling !== undefined) edits.insert(block.container.end, sibling);
      else edits.insert(block.end, lineBreak + (writing.setOff?.(block, markup) ?? markup));
    },
  });
  if (variant === 'translated' && translation !== undefined && translation !== block.text)
    writing.onTranslated?.(block, edits);
  return repairs;
}

interface TextToWrite extends Pick<WriteOptions, 'variant'> {
  block: FlowText;
  /** The text of the block, or what a limit left of it. */
  source: string;
  translation: string | undefined;
}

/** Writes a text in its place or, in a bilingual edition, its translation beside it. Returns the repairs. */
export function writeText(
  { block, source, translation, variant }: TextToWrite,
  edits: Edits,
  format: { render(text: string, isCopy: boolean): Rendered; putBeside(markup: string): void },
): number {
  const isBeside = variant === 'bilingual' && translation !== undefined;
  const text = isBeside ? source : (translation ?? source);
  const inPlace = text === block.text ? undefined : format.render(text, false);
  if (inPlace !== undefined) edits.replace(block.start, block.end, inPlace.markup);
  // A text that stays as it is (a numeral, a name) is not said twice.
  if (!isBeside || translation === source) return inPlace?.repairs ?? 0;
  const { markup, repairs } = format.render(translation, true);
  format.putBeside(markup);
  return repairs;
}

type Slicer = (start: number, end: number) => string;

/** Asking the edits costs a sort, so they are asked only for ranges in which a block begins. */
function slicer(edits: Edits, blocks: readonly FlowBlock[], part: FlowPart): Slicer {
  const starts = blocks.filter((block) => block.part === part).map((block) => block.start);
  starts.sort((a, b) => a - b);
  return (start, end) => {
    const first = starts[firstFrom(starts, start, (at) => at)];
    return first !== undefined && first < end ? edits.slice(start, end) : edits.source.slice(start, end);
  };
}

/** Removes what follows the last kept paragraph: in every element around it, up to the body. */
function endAfter(part: FlowPart, kept: readonly FlowBlock[], edits: Edits, writing: FlowWriting): void {
  const { body } = part;
  if (body === undefined) return;
  const own = kept.filter(
    ({ container, part: owner }) =>
      owner === part && container.start >= body.openEnd && container.end <= body.closeStart,
  );
  const last = own.reduce<FlowBlock | undefined>(
    (a, b) => (a === undefined || b.container.end > a.container.end ? b : a),
    undefined,
  );
  let at = last?.container;
  if (at === undefined) {
    removeChildren(body, body.openEnd, edits, writing);
    return;
  }
  for (; at !== body && at.parent !== undefined; at = at.parent) removeChildren(at.parent, at.end, edits, writing);
}

function removeChildren(parent: MarkupElement, from: number, edits: Edits, writing: FlowWriting): void {
  for (const child of parent.children) {
    if (child.kind !== 'element' || child.start < from || writing.isKeptAfterCut?.(child)) continue;
    edits.remove(child.start, child.end);
  }
}
