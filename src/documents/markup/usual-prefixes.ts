/**
 * A namespace may have any prefix: `w:p`, `ns0:p` and a bare `p` can be the same element. A document with unusual prefixes is
 * renamed before it is read, so that readers and writers know every element by one name.
 */
import { escapeAttribute } from '../../escape.ts';
import { sourceFault } from '../source-faults.ts';
import { attributeSpan, Edits } from './edits.ts';
import { localName, type MarkupElement, type MarkupTree } from './markup.ts';

/** Prefix by address of the namespace. The namespace of the root element has none unless it is listed. */
export type UsualPrefixes = ReadonlyMap<string, string>;

/** Title, author and language, in most formats. */
export const dublinCore: readonly [string, string][] = [
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/elements/1.0/', 'dc'],
];

/** Address by prefix. */
type Scope = Readonly<Record<string, string>>;

/** The source with the usual prefixes; the same string when it has them already. @throws BAD_REQUEST UNREADABLE_SOURCE */
export function withUsualPrefixes(tree: MarkupTree, listed: UsualPrefixes, where: string | undefined): string {
  const { root, source } = tree;
  const rootScope = scopeOf(root, Object.create(null));
  const usual = new Map([[rootScope[prefixOf(root.name)] ?? '', ''], ...listed]);
  usual.delete('');
  const edits = new Edits(source);
  /** Address by usual prefix, where one had to be given. */
  const given = new Map<string, string>();

  const usualName = (name: string, scope: Scope): string | undefined => {
    const prefix = prefixOf(name);
    const address = scope[prefix] ?? '';
    const expected = usual.get(address);
    if (expected === undefined || expected === prefix) return undefined;
    const bound = scope[expected] ?? given.get(expected) ?? address;
    if (bound !== address) throw sourceFault('UNREADABLE_SOURCE', where ?? 'Its namespaces contradict each other.');
    given.set(expected, address);
    return expected === '' ? localName(name) : `${expected}:${localName(name)}`;
  };

  const renameElement = ({ name: old, start, closeStart, end }: MarkupElement, scope: Scope): void => {
    const name = usualName(old, scope);
    if (name === undefined) return;
    edits.replace(start + 1, start + 1 + old.length, name);
    if (closeStart < end) edits.replace(closeStart + 2, closeStart + 2 + old.length, name);
  };

  /** An attribute without a prefix is in no namespace, so one that has a namespace keeps its prefix. */
  const renameAttribute = (element: MarkupElement, name: string, scope: Scope): void => {
    const prefix = prefixOf(name);
    if (['', 'xml', 'xmlns'].includes(prefix) || usual.get(scope[prefix] ?? '') === '') return;
    const newName = usualName(name, scope);
    const span = newName === undefined ? undefined : attributeSpan(source, element, name);
    if (newName === undefined || span === undefined) return;
    const at = source.indexOf(name, span.start);
    edits.replace(at, at + name.length, newName);
  };

  const rename = (element: MarkupElement, outer: Scope): void => {
    const scope = scopeOf(element, outer);
    renameElement(element, scope);
    for (const name of Object.keys(element.attributes)) renameAttribute(element, name, scope);
    for (const child of element.children) if (child.kind === 'element') rename(child, scope);
  };
  rename(root, Object.create(null));
  for (const [prefix, address] of given) {
    const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
    if (!(prefix in rootScope))
      edits.insert(root.start + 1 + root.name.length, ` ${name}="${escapeAttribute(address)}"`);
  }
  return edits.isEmpty ? source : edits.apply();
}

/** Inside the element. What is declared around it is inherited: copies of 4,000 addresses for 20,000 elements took 7 s. */
function scopeOf(element: MarkupElement, outer: Scope): Scope {
  const names = Object.keys(element.attributes).filter((name) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (names.length === 0) return outer;
  const scope: Record<string, string> = Object.create(outer);
  for (const name of names) scope[name === 'xmlns' ? '' : localName(name)] = element.attributes[name] ?? '';
  return scope;
}

function prefixOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? '' : name.slice(0, colon);
}
