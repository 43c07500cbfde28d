/**
 * HTML as browsers read it, with positions in the source. Where tags cross or content stands where it may not, the tree
 * no longer follows the source. Then the page is written anew in the order of the tree, and that is its source.
 */
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5';
import { elementAt, type MarkupElement, type MarkupTree } from '../markup/markup.ts';
import { sourceFault } from '../source-faults.ts';
import { serialiseHtml } from './serialise-html.ts';

export interface HtmlTree extends MarkupTree {
  /** The source was written anew because its tags cross. */
  isNormalised: boolean;
}

/** Unclosed tags nest in real pages, so more than XML may; browsers stop at 512 as well. */
const maxDepth = 512;

/** @throws BAD_REQUEST XML_DEPTH, XML_TOO_LARGE */
export function parseHtml(source: string): HtmlTree {
  assertFewAttributes(source);
  const document = parse(source, { sourceCodeLocationInfo: true, treeAdapter: boundedAdapter(source) });
  const html = document.childNodes.find((node) => node.nodeName === 'html') as DefaultTreeAdapterTypes.Element;
  const root = new Converter().element(html);
  if (root !== undefined) return { source, root, isNormalised: false };
  return { ...serialiseHtml(document), isNormalised: true };
}

/**
 * The same page as XHTML, for books whose pages must be XML and are not.
 * @throws BAD_REQUEST XML_DEPTH, XML_TOO_LARGE
 */
export function parseAsXhtml(source: string): MarkupTree {
  assertFewAttributes(source);
  return serialiseHtml(parse(source, { treeAdapter: boundedAdapter(source) }), 'xhtml');
}

/**
 * Depth bounds the stack; the number of elements bounds what unclosed formatting can do. Each new paragraph opens all
 * of it again, so 400 unclosed tags and 100,000 paragraphs would make 40 million elements.
 */
function boundedAdapter(source: string): TreeAdapter<DefaultTreeAdapterMap> {
  let depth = 0;
  let left = 1000 + 4 * countTags(source);
  return {
    ...defaultTreeAdapter,
    createElement(...args) {
      if (--left < 0) throw sourceFault('XML_TOO_LARGE', 'Unclosed tags multiply.');
      return defaultTreeAdapter.createElement(...args);
    },
    onItemPush() {
      if (++depth > maxDepth) throw sourceFault('XML_DEPTH');
    },
    onItemPop() {
      depth--;
    },
  };
}

function countTags(source: string): number {
  let count = 0;
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at + 1)) count++;
  return count;
}

/** Walks the parsed tree as long as every node stands after the one before it. */
class Converter {
  #at = 0;

  /** Undefined when tree and source disagree. */
  element(node: DefaultTreeAdapterTypes.Element, parent?: MarkupElement): MarkupElement | undefined {
    const location = node.sourceCodeLocation;
    const isImplied = location?.startTag === undefined || location.startTag === null;
    const start = isImplied ? this.#at : location.startOffset;
    if (start < this.#at) return undefined;
    const openEnd = isImplied ? start : (location.startTag?.endOffset ?? start);
    const attributes: Record<string, string> = Object.create(null);
    for (const { name, value, prefix } of node.attrs) attributes[prefix ? `${prefix}:${name}` : name] = value;
    const element = elementAt(node.tagName, attributes, parent, start, openEnd);
    if (isImplied) element.implied = true;
    this.#at = openEnd;
    const limit = location?.endTag?.startOffset ?? Number.POSITIVE_INFINITY;
    for (const child of node.childNodes) if (!this.#child(child, element, limit)) return undefined;
    const closeStart = isImplied ? this.#at : (location.endTag?.startOffset ?? location.endOffset ?? this.#at);
    if (closeStart < this.#at) return undefined;
    element.closeStart = closeStart;
    element.end = isImplied ? closeStart : (location.endTag?.endOffset ?? closeStart);
    this.#at = element.end;
    return element;
  }

  #child(child: DefaultTreeAdapterTypes.ChildNode, parent: MarkupElement, limit: number): boolean {
    if ('tagName' in child) {
      const element = this.element(child, parent);
      if (element !== undefined) parent.children.push(element);
      return element !== undefined;
    }
    if (child.nodeName !== '#text' || !('value' in child)) return true;
    const location = child.sourceCodeLocation;
    if (location === undefined || location === null) return false;
    const isBlank = child.value.trim() === '';
    // Blank lines after </body> belong to the body by the rules of HTML.
    if (isBlank && (location.startOffset >= limit || location.startOffset < this.#at)) return true;
    if (location.startOffset < this.#at || location.endOffset > limit) return false;
    const { startOffset: start, endOffset: end } = location;
    parent.children.push({ kind: 'text', text: child.value, parent, start, end });
    this.#at = end;
    return true;
  }
}

/** Scripts look like tags here and there, so more than XML may have. */
const maxAttributes = 20_000;

/** A name or a value of a start tag, with the blanks around it. */
const tagPiece = /[\s/]*(?:"[^"]*"|'[^']*'|[^\s"'>/]+)/y;

/**
 * Looks before the parser does, which keeps every attribute and compares it with all others of its element.
 * @throws BAD_REQUEST XML_TOO_LARGE
 */
export function assertFewAttributes(source: string): void {
  let close = -1;
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at)) {
    at++;
    if (close < at) close = source.indexOf('>', at);
    if (close < 0) close = source.length;
    // Most tags are short, and each attribute takes two characters.
    if (close - at < maxAttributes * 2 || !/[a-z]/i.test(source[at] ?? '')) continue;
    let pieces = 0;
    for (tagPiece.lastIndex = at; tagPiece.test(source); at = tagPiece.lastIndex)
      if (++pieces > maxAttributes) throw sourceFault('XML_TOO_LARGE');
  }
}
