/** The package of an EPUB: container, manifest, spine, and what protects it. */
import { type Archive, openArchive } from '../archive/archive.ts';
import { childElements, elementAtPath, elementsOf, localName, type MarkupElement } from '../markup/markup.ts';
import { dublinCore, type UsualPrefixes } from '../markup/usual-prefixes.ts';
import { parseXml, type XmlTree } from '../markup/xml.ts';
import { sourceFault } from '../source-faults.ts';
import { fontObfuscations } from './obfuscated-fonts.ts';
import { resolveReference } from './paths.ts';

export interface ManifestItem {
  id: string;
  path: string;
  mediaType: string;
  properties: string[];
  element: MarkupElement;
}

export type EpubPackage = ReturnType<typeof openEpub>;

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, and the ARCHIVE_ and XML_ reasons */
export function openEpub(bytes: Uint8Array) {
  const archive = openArchive(bytes);
  refuseProtection(archive);
  const opfPath = findOpf(archive);
  const entryAt = looseEntries(archive);
  const opf = parsePart(archive, opfPath);
  const items = readManifest(archive, entryAt, opf.root, opfPath);
  const spineElement = elementAtPath(opf.root, 'spine');
  if (spineElement === undefined) throw damaged('has no spine');
  const spine: { item: ManifestItem; element: MarkupElement }[] = [];
  for (const element of childElements(spineElement, 'itemref')) {
    const item = items.get(element.attributes.idref ?? '');
    if (item !== undefined && !spine.some((known) => known.item === item)) spine.push({ item, element });
  }
  const all = [...items.values()];
  const nav = all.find((item) => item.properties.includes('nav') && archive.has(item.path));
  const tocId = spineElement.attributes.toc;
  const ncx = items.get(tocId ?? '') ?? all.find((item) => item.mediaType === 'application/x-dtbncx+xml');
  const inSpine = spine.map(({ item }) => item);
  const isText = (item: ManifestItem) => isPage(item) || (inSpine.includes(item) && item.mediaType === 'image/svg+xml');
  const pages = [...new Set([...inSpine, ...all])].filter(
    (item) => isText(item) && item !== nav && archive.has(item.path),
  );
  if (pages.length === 0) throw damaged('holds no pages');
  return {
    archive,
    opfPath,
    opf,
    version: opf.root.attributes.version?.startsWith('3') ? 3 : 2,
    items,
    spine,
    nav,
    ncx: ncx !== undefined && archive.has(ncx.path) ? ncx : undefined,
    /** Pages with text in reading order: the spine, then pages only reached by links. */
    pages,
    /** The entry that a path leads to: the one of that name, or the only one that differs in case. */
    entryAt,
  };
}

export function parsePart(archive: Archive, path: string): XmlTree {
  const bytes = archive.read(path);
  if (bytes === undefined) throw damaged('lacks a part it names');
  return parseXml(bytes, { part: path, htmlEntities: true, prefixes: epubPrefixes });
}

function isPage(item: ManifestItem): boolean {
  return ['application/xhtml+xml', 'text/html', 'text/x-oeb1-document'].includes(item.mediaType);
}

function findOpf(archive: Archive): string {
  if (!archive.has('META-INF/container.xml')) throw damaged('has no container');
  const container = parsePart(archive, 'META-INF/container.xml');
  for (const element of elementsOf(container.root)) {
    const path = element.name === 'rootfile' ? element.attributes['full-path'] : undefined;
    const found = path === undefined ? undefined : resolveReference('', encodeURI(path))?.path;
    if (found !== undefined && archive.has(found)) return found;
    if (path !== undefined && archive.has(path)) return path;
  }
  throw damaged('has no package document');
}

function readManifest(
  archive: Archive,
  entryAt: (path: string) => string,
  root: MarkupElement,
  opfPath: string,
): Map<string, ManifestItem> {
  const manifest = elementAtPath(root, 'manifest');
  if (manifest === undefined) throw damaged('has no manifest');
  const items = new Map<string, ManifestItem>();
  const known = new Set<string>();
  for (const element of childElements(manifest, 'item')) {
    const { id, href, 'media-type': mediaType = '', properties = '' } = element.attributes;
    const path = href === undefined ? undefined : resolveReference(opfPath, href)?.path;
    if (id === undefined || path === undefined || known.has(path)) continue;
    known.add(path);
    items.set(id, {
      id,
      path: archive.has(path) || href === undefined ? path : (literalEntry(archive, opfPath, href) ?? entryAt(path)),
      mediaType: mediaType.trim().toLowerCase(),
      properties: properties.split(/\s+/).filter((word) => word !== ''),
      element,
    });
  }
  return items;
}

/** Some books name a file `a%20b.html` in the archive itself. */
function literalEntry(archive: Archive, opfPath: string, href: string): string | undefined {
  const literal = [...opfPath.split('/').slice(0, -1), href].join('/');
  return archive.has(literal) ? literal : undefined;
}

/** Some write `Text/` in one place and `text/` in another, which a book made on a desktop never notices. */
function looseEntries(archive: Archive): (path: string) => string {
  const names = new Map<string, string | undefined>();
  for (const { name } of archive.entries) {
    const key = name.toLowerCase();
    names.set(key, names.has(key) ? undefined : name);
  }
  return (path) => (archive.has(path) ? path : (names.get(path.toLowerCase()) ?? path));
}

/** Whatever the namespace: a book that looks protected is refused. */
function refuseProtection(archive: Archive): void {
  if (!archive.has('META-INF/encryption.xml')) return;
  const { root } = parsePart(archive, 'META-INF/encryption.xml');
  for (const element of elementsOf(root)) {
    if (localName(element.name) !== 'EncryptionMethod') continue;
    if (localName(element.parent?.name ?? '') !== 'EncryptedData') throw sourceFault('ENCRYPTED_SOURCE');
    if (!fontObfuscations.has(element.attributes.Algorithm ?? '')) throw sourceFault('ENCRYPTED_SOURCE');
  }
}

function damaged(what: string) {
  return sourceFault('UNREADABLE_SOURCE', `The EPUB ${what}.`);
}

/** All style sheets of a book as one text, to see which way its lines run. */
export function stylesOf(epub: EpubPackage): string {
  const sheets: string[] = [];
  for (const item of epub.items.values()) {
    if (item.mediaType !== 'text/css' && item.mediaType !== 'text/x-oeb1-css') continue;
    sheets.push(Buffer.from(epub.archive.read(item.path) ?? []).toString('utf8'));
  }
  return sheets.join('\n');
}

/** Of everything in a book but its pages; the package, the NCX and the navigation document have none for their own elements. */
const epubPrefixes: UsualPrefixes = new Map([...dublinCore, ['http://www.idpf.org/2007/ops', 'epub']]);
