/** Writes a parsed HTML document and remembers where every node went. */
import type { DefaultTreeAdapterTypes } from 'parse5';
import type { MarkupElement, MarkupTree } from '../markup/markup.ts';

const voidNames = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const rawNames = new Set('script style xmp iframe noembed noframes plaintext'.split(' '));

export function serialiseHtml(document: DefaultTreeAdapterTypes.Document): MarkupTree {
  const writer = new Writer();
  let root: MarkupElement | undefined;
  for (const node of document.childNodes) {
    if ('tagName' in node) root = writer.element(node, undefined);
    else writer.other(node);
  }
  return { source: writer.text(), root: root as MarkupElement };
}

class Writer {
  #parts: string[] = [];
  #length = 0;

  text(): string {
    return this.#parts.join('');
  }

  element(node: DefaultTreeAdapterTypes.Element, parent: MarkupElement | undefined): MarkupElement {
    const start = this.#length;
    const attributes: Record<string, string> = Object.create(null);
    this.#put(`<${node.tagName}`);
    for (const { name, value, prefix } of node.attrs) {
      const full = prefix ? `${prefix}:${name}` : name;
      attributes[full] = value;
      this.#put(` ${full}="${value.replace(/[&"\u00a0]/g, escapeCharacter)}"`);
    }
    this.#put('>');
    const openEnd = this.#length;
    const element: MarkupElement = {
      kind: 'element',
      name: node.tagName,
      attributes,
      children: [],
      parent,
      start,
      openEnd,
      closeStart: openEnd,
      end: openEnd,
    };
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
    else if (node.nodeName === '#comment' && 'data' in node) this.#put(`<!--${node.data}-->`);
  }

  #textNode(node: DefaultTreeAdapterTypes.TextNode, parent: MarkupElement): void {
    const start = this.#length;
    this.#put(rawNames.has(parent.name) ? node.value : node.value.replace(/[&<>\u00a0]/g, escapeCharacter));
    parent.children.push({ kind: 'text', text: node.value, parent, start, end: this.#length });
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

function templateNodes(node: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.ChildNode[] {
  return (node as DefaultTreeAdapterTypes.Template).content.childNodes;
}

function escapeCharacter(character: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' };
  return names[character] ?? character;
}
