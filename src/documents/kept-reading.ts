/**
 * What was read of a source, in a file: whoever counted it leaves it to whoever translates it, who would need ten times as long to read the source
 * again. One line of JSON for the book, one for each of its sections, and a checksum. It is good for the same version of this software alone, and
 * anything that is not as it should be counts as nothing kept.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { softwareVersion } from '../platform/software-version.ts';
import type { Document, DocumentWarning, ReadResult, Section } from './document.ts';

/** What is shorter is read in less time than it takes to keep it. */
export const minKeptCharacters = 50_000;

/** Plain text is read as fast as this. */
export function isWorthKeeping({ format, characters }: Pick<Document, 'format' | 'characters'>): boolean {
  return format !== 'txt' && characters >= minKeptCharacters;
}

interface Head {
  reader: string;
  document: Omit<Document, 'sections'>;
  warnings: DocumentWarning[];
  sections: number;
}

const reader = `${softwareVersion()} 1`;

/** False when it could not be written: a disk without space says nothing about the source. */
export function keepReading(path: string, read: ReadResult): boolean {
  try {
    write(path, read);
    return true;
  } catch {
    return false;
  }
}

function write(path: string, { document, warnings }: ReadResult): void {
  const { sections, ...facts } = document;
  const file = openSync(path, 'wx', 0o600);
  try {
    let checksum = 0;
    const add = (line: unknown): void => {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      checksum = crc32(bytes, checksum);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    };
    const head: Head = { reader, document: facts, warnings, sections: sections.length };
    add(head);
    for (const section of sections) add(section);
    writeSync(file, `${checksum}\n`);
  } finally {
    closeSync(file);
  }
}

/** Undefined when there is none, or none that is good. */
export function keptReading(path: string): ReadResult | undefined {
  try {
    return parsed(readFileSync(path));
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): ReadResult | undefined {
  const body = bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1);
  if (bytes.toString('latin1', body.length) !== `${crc32(body)}\n`) return undefined;
  let at = 0;
  const next = (): unknown => {
    const end = body.indexOf('\n', at);
    const line = JSON.parse(body.toString('utf8', at, end));
    at = end + 1;
    return line;
  };
  const head = next() as Head;
  if (head.reader !== reader) return undefined;
  const sections = Array.from({ length: head.sections }, () => withTitle(next() as Section));
  const { encoding, title, author, declaredLanguage, ...facts } = head.document;
  return { document: { ...facts, encoding, title, author, declaredLanguage, sections }, warnings: head.warnings };
}

/** JSON leaves out what is undefined. */
function withTitle({ title, blocks }: Section): Section {
  return { title, blocks };
}
