/** Writes a parsed HTML document, as HTML or as XHTML, and remembers where every node went. */
import type { DefaultTreeAdapterTypes } from 'parse5';
import { dropForbidden, escapeCharacters } from '../../escape.ts';
import { elementAt, type MarkupElement, type MarkupTree } from '../markup/markup.ts';

const voidNames = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const rawNames = new Set('script style xmp iframe noembed noframes plaintext'.split(' '));

export function serialiseHtml(
  document: DefaultTreeAdapterTypes.Document,
  syntax: 'html' | 'xhtml' = 'html',
): MarkupTree {
  const writer = new Writer(syntax === 'xhtml');
  let root: MarkupElement | undefined;
  for (const node of document.childNodes) {
    if ('tagName' in node) root = writer.element(node, undefined);
    else writer.other(node);
  }
  return { source: writer.text(), root: root as MarkupElement };
}

class Writer {
  readonly #isXml: boolean;
  #parts: string[] = [];
  #length = 0;

  constructor(isXml: boolean) {
    this.#isXml = isXml;
  }

  text(): string {
    return this.#parts.join('');
  }

  element(node: DefaultTreeAdapterTypes.Element, parent: MarkupElement | undefined): MarkupElement {
    const start = this.#length;
    const attributes: Record<string, string> = Object.create(null);
    this.#put(`<${node.tagName}`);
    for (const { name, value, prefix } of this.#attributesOf(node)) {
      const full = prefix ? `${prefix}:${name}` : name;
      attributes[full] = value;
      this.#put(` ${full}="${this.#escape(value, /[&<"\u00a0]/g)}"`);
    }
    this.#put(this.#isXml && voidNames.has(node.tagName) ? '/>' : '>');
    const openEnd = this.#length;
    const element = elementAt(node.tagName, attributes, parent, start, openEnd);
    if (voidNames.has(node.tagName)) return element;
    for (const child of node.tagName === 'template' ? templateNodes(node) : node.childNodes) {
      if ('tagName' in child) element.children.push(this.element(child, element));
      else if ('value' in child) this.#textNode(child, element);
      else this.other(child);
    }
    element.closeStart = this.#length;
    this.#put(`</${node.tagName}>`);
    element.end = this.#length;
    return element;
  }

  other(node: DefaultTreeAdapterTypes.ChildNode): void {
    if (node.nodeName === '#documentType' && 'name' in node) this.#put(`<!DOCTYPE ${node.name || 'html'}>\n`);
    else if (node.nodeName === '#comment' && 'data' in node) this.#comment(node.data);
  }

  /** XML forbids two hyphens in a comment, and HTML makes comments of XML declarations, which stand first or not at all. */
  #comment(data: string): void {
    if (!this.#isXml) this.#put(`<!--${data}-->`);
    else if (!data.startsWith('?'))
      this.#put(`<!--${dropForbidden(data).replaceAll('--', '- -').replace(/-$/, '- ')}-->`);
  }

  /** In XML an element needs its namespace, and an attribute a proper name of its own. */
  #attributesOf(node: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.Element['attrs'] {
    if (!this.#isXml) return node.attrs;
    const parent = node.parentNode;
    const around = parent !== null && 'namespaceURI' in parent ? parent.namespaceURI : undefined;
    const named = node.attrs.filter(
      ({ name, prefix }) =>
        /^[A-Za-z_][\w.-]*$/.test(name) || (/^(?:xml|epub|xlink|xmlns):[A-Za-z_][\w.-]*$/.test(name) && !prefix),
    );
    const own = named.filter(({ name, prefix }) => name !== 'xmlns' && !(prefix === 'xmlns'));
    const added: { name: string; value: string }[] =
      around === node.namespaceURI ? [] : [{ name: 'xmlns', value: node.namespaceURI }];
    const declared = new Set(own.flatMap(({ name }) => (name.startsWith('xmlns:') ? [name.slice(6)] : [])));
    if (node.tagName === 'html')
      for (const [prefix, value] of Object.entries(knownPrefixes))
        if (!declared.has(prefix)) added.push({ name: `xmlns:${prefix}`, value });
    return [...added, ...own];
  }

  #escape(text: string, characters: RegExp): string {
    if (!this.#isXml) return escapeCharacters(text, characters);
    // XML knows no name for a no-break blank.
    return escapeCharacters(dropForbidden(text), characters).replaceAll('&nbsp;', '&#160;');
  }

  #textNode(node: DefaultTreeAdapterTypes.TextNode, parent: MarkupElement): void {
    const start = this.#length;
    const isRaw = !this.#isXml && rawNames.has(parent.name);
    this.#put(isRaw ? node.value : this.#escape(node.value, /[&<>\u00a0]/g));
    parent.children.push({ kind: 'text', text: node.value, parent, start, end: this.#length });
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Those that books use in pages, whether they declare them or not. */
const knownPrefixes = {
  epub: 'http://www.idpf.org/2007/ops',
  xlink: 'http://www.w3.org/1999/xlink',
};

function templateNodes(node: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.ChildNode[] {
  return (node as DefaultTreeAdapterTypes.Template).content.childNodes;
}
