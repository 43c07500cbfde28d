/**
 * XML read with bounds. `saxes` checks that it is well formed, and never fetches anything. A DOCTYPE that declares entities is
 * refused (entity bombs, XXE), and depth and sizes are capped. Positions are kept for exact rewriting.
 */
import { parseFragment } from 'parse5';
import { SaxesParser } from 'saxes';
import { decodeXml } from '../encoding/xml-encoding.ts';
import { sourceFault } from '../source-faults.ts';
import { elementAt, type MarkupElement, type MarkupTree } from './markup.ts';
import { type UsualPrefixes, withUsualPrefixes } from './usual-prefixes.ts';

export const xmlLimits = {
  depth: 256,
  /** A whole novel as one XML part is below 20 MiB; images inside FB2 come on top. */
  characters: 128 * 1024 * 1024,
  attributeCharacters: 4 * 1024 * 1024,
  /** Of one element; the root of a Word document has 40. */
  attributes: 5_000,
  nodes: 8_000_000,
} as const;

export interface XmlTree extends MarkupTree {
  /** WHATWG label the bytes were decoded with. */
  encoding: string;
}

export interface XmlOptions {
  /** Named in the fault, such as an archive entry. */
  part?: string;
  /** Resolve the named references of HTML (`&nbsp;`), which XHTML books use without a DTD. */
  htmlEntities?: boolean;
  /** How elements are named in the tree, whatever prefixes the document gives to these namespaces. */
  prefixes?: UsualPrefixes;
}

/** The fault of a document that is not well formed, as opposed to one that is refused for what it asks. */
export function isMalformedXml(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof MalformedXml;
}

/** @throws BAD_REQUEST UNREADABLE_SOURCE, XML_DOCTYPE, XML_DEPTH, XML_TOO_LARGE, XML_ENCODING */
export function parseXml(bytes: Uint8Array, options: XmlOptions = {}): XmlTree {
  const { text, encoding } = decodeXml(bytes, options.part);
  return { ...parseXmlText(text, options), encoding };
}

/** The same for text that is decoded already, without a byte order mark. */
export function parseXmlText(source: string, options: XmlOptions = {}): MarkupTree {
  const where = options.part === undefined ? undefined : `Part: ${options.part}.`;
  if (source.length > xmlLimits.characters) throw sourceFault('XML_TOO_LARGE', where);
  const tree = treeOf(source, options, where);
  const renamed = options.prefixes === undefined ? source : withUsualPrefixes(tree, options.prefixes, where);
  return renamed === source ? tree : treeOf(renamed, options, where);
}

function treeOf(source: string, options: XmlOptions, where: string | undefined): MarkupTree {
  const root = topElement(source, options, where).children[0];
  if (root?.kind !== 'element') throw sourceFault('UNREADABLE_SOURCE', where);
  root.parent = undefined;
  return { source, root };
}

/** The element that stands for the document. */
function topElement(source: string, options: XmlOptions, where: string | undefined): MarkupElement {
  const parser = new SaxesParser({ position: false });
  if (options.htmlEntities) defineHtmlEntities(parser.ENTITIES);
  const top: MarkupElement = elementAt('', {}, undefined, 0, 0);
  let current = top;
  let depth = 0;
  let nodes = 0;
  // End of the last event: where the next piece of the source begins.
  let at = 0;

  parser.on('error', (error) => {
    throw new MalformedXml(error.message);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw sourceFault('XML_DOCTYPE', where);
    at = parser.position;
  });
  let attributes = 0;
  parser.on('opentagstart', () => {
    attributes = 0;
  });
  parser.on('attribute', ({ value }) => {
    if (value.length > xmlLimits.attributeCharacters || ++attributes > xmlLimits.attributes)
      throw sourceFault('XML_TOO_LARGE', where);
  });
  parser.on('text', (text) => {
    // Text is reported once the `<` after it has been read.
    const end = parser.position - 1;
    if (current !== top) current.children.push({ kind: 'text', text, parent: current, start: at, end });
    if (++nodes > xmlLimits.nodes) throw sourceFault('XML_TOO_LARGE', where);
    at = end;
  });
  parser.on('cdata', (text) => {
    current.children.push({ kind: 'text', text, parent: current, start: at, end: parser.position });
    at = parser.position;
  });
  parser.on('opentag', (tag) => {
    if (++depth > xmlLimits.depth) throw sourceFault('XML_DEPTH', where);
    if (++nodes > xmlLimits.nodes) throw sourceFault('XML_TOO_LARGE', where);
    const element = elementAt(tag.name, tag.attributes as Record<string, string>, current, at, parser.position);
    current.children.push(element);
    current = element;
    at = parser.position;
  });
  parser.on('closetag', () => {
    depth--;
    current.closeStart = at;
    current.end = parser.position;
    current = current.parent ?? top;
    at = parser.position;
  });
  const skip = () => {
    at = parser.position;
  };
  parser.on('comment', () => {
    // Reported after `--`, before its `>`.
    at = parser.position + 1;
  });
  parser.on('processinginstruction', skip);
  parser.on('xmldecl', skip);

  try {
    parser.write(source).close();
  } catch (error) {
    if (!(error instanceof MalformedXml)) throw error;
    const fault = sourceFault('UNREADABLE_SOURCE', where ?? 'It is not well-formed XML.');
    fault.cause = error;
    throw fault;
  }
  return top;
}

class MalformedXml extends Error {}

/** parse5 carries the full table of HTML; it is asked only for the names that books really use. */
const knownEntities = new Map<string, string>();

function htmlEntity(name: string): string | undefined {
  const known = knownEntities.get(name);
  if (known !== undefined || !/^[A-Za-z][A-Za-z0-9]{1,30}$/.test(name)) return known;
  const node = parseFragment(`&${name};`).childNodes[0];
  const text = node !== undefined && 'value' in node ? node.value : undefined;
  if (text === undefined || text.startsWith('&')) return undefined;
  if (knownEntities.size < maxKnownEntities) knownEntities.set(name, text);
  return text;
}

/** HTML has 2,231 names; a name with letters after one counts as another. */
const maxKnownEntities = 4_000;

function defineHtmlEntities(entities: Record<string, string>): void {
  const parent = Object.getPrototypeOf(entities) as Record<string, string>;
  Object.setPrototypeOf(
    entities,
    new Proxy(parent, {
      get: (target, name) => (typeof name === 'string' ? (target[name] ?? htmlEntity(name)) : undefined),
    }),
  );
}
