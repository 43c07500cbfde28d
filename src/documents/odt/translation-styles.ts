/** Automatic styles that set translations off from their sources: a line beside a paragraph, grey inside a heading. */
import { escapeAttribute } from '../../escape.ts';
import type { FlowPart } from '../flow/flow-part.ts';
import { Edits } from '../markup/edits.ts';
import { childElements, type MarkupElement } from '../markup/markup.ts';
import { besideColour, type Side } from '../translation-mark.ts';
import { odtPrefixes } from './odt-source.ts';

/** Of one part: its paragraphs know the automatic styles of that part only. */
export class TranslationStyles {
  readonly #part: FlowPart;
  readonly #side: Side;
  readonly #automatic = new Map<string, MarkupElement>();
  /** By the style of the source; undefined for a paragraph without one. */
  readonly #paragraphs = new Map<string | undefined, string>();
  #shared: string | undefined;
  #count = 0;

  constructor(part: FlowPart, side: Side) {
    this.#part = part;
    this.#side = side;
    for (const style of childElements(part.tree.root, 'office:automatic-styles').flatMap((list) => childElements(list)))
      this.#automatic.set(style.attributes['style:name'] ?? '', style);
  }

  /** The style of a translation whose source has the style named. */
  paragraph(sourceStyle: string | undefined): string {
    const known = this.#paragraphs.get(sourceStyle) ?? this.#newName();
    this.#paragraphs.set(sourceStyle, known);
    return known;
  }

  /** The style of a translation in the paragraph of its source. */
  shared(): string {
    this.#shared ??= this.#newName();
    return this.#shared;
  }

  /** Adds the styles that were asked for. `adapt` is what the other styles of the document go through. */
  write(edits: Edits, adapt: (element: MarkupElement, edits: Edits) => void): void {
    const styles = [...this.#paragraphs].map(([source, name]) => this.#paragraphStyle(source, name, adapt));
    if (this.#shared !== undefined)
      styles.push(
        `<style:style style:name="${this.#shared}" style:family="text"><style:text-properties fo:color="#${besideColour}"/></style:style>`,
      );
    if (styles.length === 0) return;
    const { root } = this.#part.tree;
    for (const [address, prefix] of odtPrefixes)
      if (['style', 'fo'].includes(prefix) && root.attributes[`xmlns:${prefix}`] === undefined)
        edits.setAttribute(root, `xmlns:${prefix}`, address);
    const list = childElements(root, 'office:automatic-styles')[0];
    const added = `<office:automatic-styles>${styles.join('')}</office:automatic-styles>`;
    if (list === undefined) {
      const next = childElements(root).find(({ name }) => name === 'office:body' || name === 'office:master-styles');
      edits.insert(next?.start ?? root.closeStart, added);
    } else if (list.closeStart === list.end) edits.replace(list.start, list.end, added);
    else edits.insert(list.closeStart, styles.join(''));
  }

  /** An automatic style has no heirs, so what it says is copied; any other style is the parent. */
  #paragraphStyle(
    source: string | undefined,
    name: string,
    adapt: (element: MarkupElement, edits: Edits) => void,
  ): string {
    const automatic = source === undefined ? undefined : this.#automatic.get(source);
    const look = `fo:border-${this.#side}="1.5pt solid #000000" fo:padding-${this.#side}="0.2cm" fo:break-before="auto"`;
    const properties = `<style:paragraph-properties ${look}/>`;
    if (automatic === undefined) {
      const parent = source === undefined ? '' : ` style:parent-style-name="${escapeAttribute(source)}"`;
      return `<style:style style:name="${name}" style:family="paragraph"${parent} style:master-page-name="">${properties}</style:style>`;
    }
    const edits = new Edits(this.#part.tree.source);
    edits.setAttribute(automatic, 'style:name', name);
    edits.setAttribute(automatic, 'style:master-page-name', '');
    const own = childElements(automatic, 'style:paragraph-properties')[0];
    for (const child of childElements(automatic)) adapt(child, edits);
    if (own !== undefined) this.#drawLine(own, edits);
    const isEmpty = automatic.closeStart === automatic.end;
    if (own === undefined && !isEmpty) edits.insert(automatic.openEnd, properties);
    const written = edits.slice(automatic.start, automatic.end);
    return isEmpty ? `${written.replace(/\s*\/>$/, '>')}${properties}</style:style>` : written;
  }

  /** One value for all four sides is said for each, so that one of them can differ. */
  #drawLine(properties: MarkupElement, edits: Edits): void {
    for (const [name, value] of [
      ['fo:border', '1.5pt solid #000000'],
      ['fo:padding', '0.2cm'],
    ] as const) {
      const all = properties.attributes[name];
      if (all !== undefined) {
        edits.setAttribute(properties, name, undefined);
        for (const side of ['top', 'bottom', 'left', 'right'])
          if (side !== this.#side) edits.setAttribute(properties, `${name}-${side}`, all);
      }
      edits.setAttribute(properties, `${name}-${this.#side}`, value);
    }
    edits.setAttribute(properties, 'fo:break-before', 'auto');
  }

  #newName(): string {
    do this.#count++;
    while (this.#automatic.has(`ToledoTranslation${this.#count}`));
    return `ToledoTranslation${this.#count}`;
  }
}
