/** Writes the text of a block back as the markup of its format. */
import { type InlineToken, stripInlineTags, tokenizeInline } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { FlowText, Group, Item, VoidItem } from './inline-items.ts';

export interface FlowDialect {
  /** Text inside the given groups, innermost last. */
  text(text: string, groups: readonly Group[]): string;
  lineBreak(groups: readonly Group[]): string;
  /** Marks around nothing would be read as text. */
  dropsEmptyGroups?: boolean;
}

export interface RenderOptions {
  dialect: FlowDialect;
  /** A range of the source with the edits inside it: notes and text boxes within the block have blocks of their own. */
  sliceOf(start: number, end: number): string;
  /** A second copy of the block: what may exist only once is left out. */
  isCopy: boolean;
}

export interface Rendered {
  markup: string;
  /** Tags of the translation that were not as in the source. */
  repairs: number;
}

export function renderFlow(block: FlowText, text: string, sourceText: string, options: RenderOptions): Rendered {
  const repaired = projectTags(sourceText, text);
  const groups: Group[] = [];
  const parts: string[] = [];
  const isLeftOut = () => options.isCopy && groups.some((group) => group.once);
  const tokens = tokenizeInline(repaired.text);
  for (const token of options.dialect.dropsEmptyGroups ? withoutEmptyPairs(tokens) : tokens) {
    if (token.kind === 'text') {
      if (!isLeftOut()) parts.push(renderText(token.text, groups, options.dialect));
      continue;
    }
    const tag = block.tags[token.number - 1];
    if (token.kind === 'open' && tag?.kind === 'group') {
      groups.push(tag);
      if (!isLeftOut()) parts.push(options.isCopy ? (tag.copyOpen ?? tag.open) : tag.open);
    } else if (token.kind === 'close' && tag?.kind === 'group') {
      if (!isLeftOut()) parts.push(tag.close);
      groups.pop();
    } else if (tag?.kind === 'literal') parts.push(options.dialect.text(tag.text, groups));
    else if (tag?.kind === 'void') parts.push(renderVoid(tag, options));
  }
  // A picture alone is not repeated, but what its description says in the other language has to stand somewhere.
  if (options.isCopy && parts.join('').trim() === '')
    parts.push(renderText(stripInlineTags(repaired.text), [], options.dialect));
  const edges = [block.lead, block.trail].map((items) => items.map((item) => renderEdge(item, options)).join(''));
  // A copy does not repeat what stands at the edges, so it needs no blank beside it.
  const blanks = [block.leadBlank, block.trailBlank].map((blank) =>
    options.isCopy ? '' : renderText(blank, [], options.dialect),
  );
  return {
    markup: [edges[0], blanks[0], ...parts, blanks[1], edges[1]].join(''),
    repairs: repaired.repairs,
  };
}

/** A translation with fewer words than its source has pairs leaves some around nothing. */
function withoutEmptyPairs(tokens: readonly InlineToken[]): InlineToken[] {
  const kept: InlineToken[] = [];
  for (const token of tokens) {
    const last = kept.at(-1);
    if (token.kind === 'close' && last?.kind === 'open' && last.number === token.number) kept.pop();
    else kept.push(token);
  }
  return kept;
}

function renderVoid(item: VoidItem, options: RenderOptions): string {
  return item.pieces
    .filter((piece) => piece.repeatable || !options.isCopy)
    .map((piece) => piece.before + options.sliceOf(piece.from, piece.to) + piece.after)
    .join('');
}

function renderEdge(item: Item, options: RenderOptions): string {
  if (item.kind === 'void') return renderVoid(item, options);
  if (item.kind === 'break') return options.dialect.lineBreak([]);
  if (item.kind === 'text') return options.isCopy ? '' : options.dialect.text(item.text, []);
  return item.items.map((inner) => renderEdge(inner, options)).join('');
}

function renderText(text: string, groups: readonly Group[], dialect: FlowDialect): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : dialect.text(line, groups)))
    .join(dialect.lineBreak(groups));
}
