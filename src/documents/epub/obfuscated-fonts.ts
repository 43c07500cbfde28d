/**
 * Fonts that are obfuscated with the identifier of the book: when that changes, they have to be mixed anew. Both ways in
 * use are an exclusive or over the beginning of the file. So mixing with the old and the new key gives the new file.
 */
import { hash } from 'node:crypto';
import type { Archive } from '../archive/archive.ts';
import { childElements, elementsOf, localName, type MarkupElement } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';

interface Obfuscation {
  keyOf(identifier: string): Uint8Array | undefined;
  bytes: number;
}

/** The algorithms that hide fonts and no text, by their address. */
export const fontObfuscations: ReadonlyMap<string, Obfuscation> = new Map([
  ['http://www.idpf.org/2008/embedding', { keyOf: idpfKey, bytes: 1040 }],
  ['http://ns.adobe.com/pdf/enc#RC', { keyOf: adobeKey, bytes: 1024 }],
]);

function idpfKey(identifier: string): Uint8Array {
  return hash('sha1', identifier.replace(/[ \t\r\n]/g, ''), 'buffer');
}

function adobeKey(identifier: string): Uint8Array | undefined {
  const hex = identifier.replace(/^urn:uuid:|-/gi, '').trim();
  return /^[0-9a-f]{32}$/i.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}

/** New contents of the fonts by entry; undefined when one of them cannot be mixed with the new identifier. */
export function remixFonts(archive: Archive, oldId: string, newId: string): Map<string, Uint8Array> | undefined {
  const fonts = new Map<string, Uint8Array>();
  const part = 'META-INF/encryption.xml';
  const encryption = archive.read(part);
  if (encryption === undefined) return fonts;
  for (const element of elementsOf(parseXml(encryption, { part }).root)) {
    if (localName(element.name) !== 'EncryptedData') continue;
    const algorithm =
      childElements(element).find(({ name }) => localName(name) === 'EncryptionMethod')?.attributes.Algorithm ?? '';
    const path = referenceOf(element);
    const bytes = path === undefined ? undefined : archive.read(path);
    const obfuscation = fontObfuscations.get(algorithm);
    if (path === undefined || bytes === undefined || obfuscation === undefined) continue;
    const [before, after] = [obfuscation.keyOf(oldId), obfuscation.keyOf(newId)];
    if (before === undefined || after === undefined) return undefined;
    const mixed = Uint8Array.from(bytes);
    for (let i = 0; i < Math.min(mixed.length, obfuscation.bytes); i++)
      mixed[i] = (bytes[i] ?? 0) ^ (before[i % before.length] ?? 0) ^ (after[i % after.length] ?? 0);
    fonts.set(path, mixed);
  }
  return fonts;
}

function referenceOf(element: MarkupElement): string | undefined {
  const reference = elementsOf(element).find(
    (below) => localName(below.name) === 'CipherReference' && below.attributes.URI,
  );
  return reference && decodeURI(reference.attributes.URI ?? '');
}
