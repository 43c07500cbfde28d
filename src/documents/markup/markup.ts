/**
 * A parsed XML or HTML document whose nodes remember where they stand in the source. Writers never serialise the
 * tree: they replace ranges of the source string (`Edits`), so markup that is not translated stays byte for byte.
 */
import { countCharacters } from '../document.ts';

export interface MarkupElement {
  kind: 'element';
  /** As written for XML (`w:p`), in lower case for HTML. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: MarkupNode[];
  parent: MarkupElement | undefined;
  /** `source.slice(start, openEnd)` is the start tag, `source.slice(closeStart, end)` the end tag (may be empty). */
  start: number;
  openEnd: number;
  closeStart: number;
  end: number;
  /** The parser implied it (`<body>` of an HTML fragment): there is no tag in the source to copy or change. */
  implied?: boolean;
}

export interface MarkupText {
  kind: 'text';
  /** Decoded: references resolved, line ends as `\n`. */
  text: string;
  parent: MarkupElement;
  start: number;
  end: number;
}

export type MarkupNode = MarkupElement | MarkupText;

export interface MarkupTree {
  source: string;
  root: MarkupElement;
}

/** Elements in document order, the given one first. Iterative, so depth costs no stack. */
export function* elementsOf(root: MarkupElement): Generator<MarkupElement> {
  const stack: MarkupElement[] = [root];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    yield element;
    for (let i = element.children.length - 1; i >= 0; i--) {
      const child = element.children[i];
      if (child?.kind === 'element') stack.push(child);
    }
  }
}

/** The name without its namespace prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Elements are known by their whole name: `number:text` of a style is not the `office:text` of a book. */
export function childElements(element: MarkupElement, name?: string): MarkupElement[] {
  return element.children.filter(
    (child): child is MarkupElement => child.kind === 'element' && (name === undefined || child.name === name),
  );
}

/** The first element at the end of a path of names that begins below `root`. */
export function elementAtPath(root: MarkupElement | undefined, ...path: string[]): MarkupElement | undefined {
  return path.reduce((at, name) => at && childElements(at, name)[0], root);
}

/** The text of the element at the end of a path; undefined when there is none. */
export function textAtPath(root: MarkupElement | undefined, ...path: string[]): string | undefined {
  const element = elementAtPath(root, ...path);
  return element && (textOf(element).trim() || undefined);
}

/** All text inside, as it is. */
export function textOf(node: MarkupNode): string {
  if (node.kind === 'text') return node.text;
  const parts: string[] = [];
  const stack: MarkupNode[] = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.kind === 'text') parts.push(next.text);
    else for (let i = next.children.length - 1; i >= 0; i--) stack.push(next.children[i] as MarkupNode);
  }
  return parts.join('');
}

/** Every character below, with those that a format writes as elements. */
export function countTextWith(root: MarkupElement, charactersOf: (element: MarkupElement) => number): number {
  return elementsOf(root).reduce((sum, element) => sum + charactersOf(element), countCharacters(textOf(root)));
}

/** The element itself, then those around it, the nearest first. */
export function* elementsAround(element: MarkupElement | undefined): Generator<MarkupElement> {
  for (let at = element; at !== undefined; at = at.parent) yield at;
}

/** The end tag is not known yet: an element that closes itself ends here. */
export function elementAt(
  name: string,
  attributes: Record<string, string>,
  parent: MarkupElement | undefined,
  start: number,
  openEnd: number,
): MarkupElement {
  return { kind: 'element', name, attributes, children: [], parent, start, openEnd, closeStart: openEnd, end: openEnd };
}
