/**
 * XML from outside, in pieces: after each piece other requests get their turn. Nothing of XML's dangerous half is read: a
 * DOCTYPE is refused, so there are no entities to expand and nothing to fetch.
 */
import { setImmediate as otherTurns } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { badRequest } from '../errors.ts';
import { dropForbidden, escapeCharacters } from '../escape.ts';

export interface XmlHandler {
  open(tag: { name: string; attributes: Record<string, string> }): void;
  close(name: string): void;
  text(text: string): void;
}

const maxDepth = 64;
const pieceCharacters = 64 * 1024;

/** @throws BAD_REQUEST with the place of the fault */
export async function readXml(xml: string, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false });
  let depth = 0;
  let fault: Error | undefined;
  parser.on('error', (error) => {
    fault ??= badRequest(`The file is not well-formed XML: ${error.message.slice(0, 200)}`, {
      field: 'file',
      reason: 'MALFORMED_XML',
    });
  });
  parser.on('doctype', () => {
    fault ??= badRequest('The file has a DOCTYPE, which is not accepted.', { field: 'file', reason: 'XML_DOCTYPE' });
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > maxDepth)
      fault ??= badRequest(`The file is nested deeper than ${maxDepth} elements.`, {
        field: 'file',
        reason: 'XML_DEPTH',
      });
    if (fault === undefined) handler.open(tag);
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    if (fault === undefined) handler.close(localName(tag.name));
  });
  const text = (value: string) => {
    if (fault === undefined) handler.text(value);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  for (let at = 0; at < xml.length; at += pieceCharacters) {
    parser.write(xml.slice(at, at + pieceCharacters));
    if (fault !== undefined) throw fault;
    await otherTurns();
  }
  parser.close();
  if (fault !== undefined) throw fault;
}

/** Tools write the namespaces of these formats with and without a prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** UTF-8, or UTF-16 with its mark, which is what tools on Windows write. @throws BAD_REQUEST */
export function decodedXml(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The file is not valid UTF-8.', { field: 'file', reason: 'INVALID_ENCODING' });
  }
}

/** Text as XML holds it. Carriage returns are kept: a reader would make line feeds of them. */
export function xmlText(text: string): string {
  return escapeCharacters(dropForbidden(text), /[&<>\r]/g);
}

export function xmlAttribute(text: string): string {
  return escapeCharacters(dropForbidden(text), /[&<>"\r\t\n]/g);
}
