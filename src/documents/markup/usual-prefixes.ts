/**
 * A namespace may have any prefix: `w:p`, `ns0:p` and a bare `p` can be the same element. A document with unusual prefixes is
 * renamed before it is read, so that readers and writers know every element by one name.
 */
import { escapeAttribute } from '../../escape.ts';
import { sourceFault } from '../source-faults.ts';
import { attributeSpan, Edits } from './edits.ts';
import { elementsOf, localName, type MarkupElement, type MarkupTree } from './markup.ts';

/** Prefix by address of the namespace. The namespace of the root element has none unless it is listed. */
export type UsualPrefixes = ReadonlyMap<string, string>;

/** Title, author and language, in most formats. */
export const dublinCore: readonly [string, string][] = [
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/elements/1.0/', 'dc'],
];

/** The source with the usual prefixes; the same string when it has them already. @throws BAD_REQUEST UNREADABLE_SOURCE */
export function withUsualPrefixes(tree: MarkupTree, listed: UsualPrefixes, where: string | undefined): string {
  const declared = scopeOf(tree.root, new Map());
  const rootNamespace = declared.get(prefixOf(tree.root.name)) ?? '';
  const usual = new Map([[rootNamespace, ''], ...listed]);
  usual.delete('');
  if (!hasOthers(tree.source, usual)) return tree.source;
  return new Renaming(tree, usual, where).rename(declared);
}

const declaration = /\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Most documents have the usual prefixes, and a search is faster than a walk through all elements. */
function hasOthers(source: string, usual: UsualPrefixes): boolean {
  for (const [, prefix = '', double, single] of source.matchAll(declaration)) {
    const expected = usual.get(double ?? single ?? '');
    if (expected !== undefined && expected !== prefix) return true;
  }
  return false;
}

type Scope = ReadonlyMap<string, string>;

class Renaming {
  readonly #tree: MarkupTree;
  readonly #edits: Edits;
  readonly #usual: UsualPrefixes;
  readonly #where: string | undefined;
  /** Address by usual prefix, where one had to be given. */
  readonly #renamed = new Map<string, string>();

  constructor(tree: MarkupTree, usual: UsualPrefixes, where: string | undefined) {
    this.#tree = tree;
    this.#edits = new Edits(tree.source);
    this.#usual = usual;
    this.#where = where;
  }

  rename(rootScope: Scope): string {
    const { root } = this.#tree;
    const scopes = new Map<MarkupElement, Scope>();
    for (const element of elementsOf(root)) {
      const outer = element.parent === undefined ? rootScope : (scopes.get(element.parent) as Scope);
      const scope = element === root ? rootScope : scopeOf(element, outer);
      scopes.set(element, scope);
      this.#renameElement(element, scope);
      for (const name of Object.keys(element.attributes)) this.#renameAttribute(element, name, scope);
    }
    for (const [prefix, address] of this.#renamed) if (!rootScope.has(prefix)) this.#declare(prefix, address);
    return this.#edits.apply();
  }

  #renameElement(element: MarkupElement, scope: Scope): void {
    const name = this.#usualName(element.name, scope);
    if (name === undefined) return;
    const { start, closeStart, end } = element;
    this.#edits.replace(start + 1, start + 1 + element.name.length, name);
    if (closeStart < end) this.#edits.replace(closeStart + 2, closeStart + 2 + element.name.length, name);
  }

  /** An attribute without a prefix is in no namespace, so one that has a namespace keeps its prefix. */
  #renameAttribute(element: MarkupElement, name: string, scope: Scope): void {
    const prefix = prefixOf(name);
    if (prefix === '' || prefix === 'xml' || prefix === 'xmlns' || this.#usual.get(scope.get(prefix) ?? '') === '')
      return;
    const renamed = this.#usualName(name, scope);
    const span = renamed === undefined ? undefined : attributeSpan(this.#tree.source, element, name);
    if (renamed === undefined || span === undefined) return;
    const at = this.#tree.source.indexOf(name, span.start);
    this.#edits.replace(at, at + name.length, renamed);
  }

  #usualName(name: string, scope: Scope): string | undefined {
    const prefix = prefixOf(name);
    const address = scope.get(prefix) ?? '';
    const usual = this.#usual.get(address);
    if (usual === undefined || usual === prefix) return undefined;
    const bound = scope.get(usual) ?? this.#renamed.get(usual) ?? address;
    if (bound !== address)
      throw sourceFault('UNREADABLE_SOURCE', this.#where ?? 'Its namespaces contradict each other.');
    this.#renamed.set(usual, address);
    return usual === '' ? localName(name) : `${usual}:${localName(name)}`;
  }

  #declare(prefix: string, address: string): void {
    const { root } = this.#tree;
    const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
    this.#edits.insert(root.start + 1 + root.name.length, ` ${name}="${escapeAttribute(address)}"`);
  }
}

/** Address by prefix inside the element. */
function scopeOf(element: MarkupElement, outer: Scope): Scope {
  const names = Object.keys(element.attributes).filter((name) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (names.length === 0) return outer;
  const scope = new Map(outer);
  for (const name of names) scope.set(name === 'xmlns' ? '' : localName(name), element.attributes[name] ?? '');
  return scope;
}

function prefixOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? '' : name.slice(0, colon);
}
