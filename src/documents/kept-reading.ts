/**
 * What was read of a source, in a file: whoever counted it leaves it to whoever translates it, who would need ten times as long to read the source
 * again. One line of JSON for the book, one for each of its sections with the texts of the section behind it, and a checksum. The texts are no
 * JSON, because they are nearly all of it and need no more than to be copied. It is good for the same version of this software alone, and anything
 * that is not as it should be counts as nothing kept.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { softwareVersion } from '../platform/software-version.ts';
import type { Block, Document, DocumentWarning, ReadResult, RubyReading, Section } from './document.ts';

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

/** What a section is besides its texts; of its blocks each list has one entry. */
interface SectionLine {
  title?: string;
  ids: string;
  kinds: string;
  characters: number[];
  /** Of their texts, which follow one upon another. */
  lengths: number[];
  ruby?: [block: number, readings: readonly RubyReading[]][];
  /** Of all texts together. */
  bytes: number;
}

const reader = `${softwareVersion()} 2`;

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
  const head: Head = { reader, document: facts, warnings, sections: sections.length };
  const body = Buffer.concat([lineOf(head), ...sections.flatMap(partsOf)]);
  const bytes = Buffer.concat([body, Buffer.from(`${crc32(body)}\n`)]);
  const file = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } finally {
    closeSync(file);
  }
}

const lineEnd = Buffer.from('\n');

function lineOf(value: Head | SectionLine): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function partsOf({ title, blocks }: Section): Buffer[] {
  const joined = blocks.map(({ text }) => text).join('');
  // UTF-8 has no half of a pair.
  if (!joined.isWellFormed()) throw new Error('a text that cannot be kept');
  const texts = Buffer.from(joined);
  const ruby = blocks.flatMap((block, i): NonNullable<SectionLine['ruby']> => (block.ruby ? [[i, block.ruby]] : []));
  const line = {
    ...(title === undefined ? {} : { title }),
    ids: blocks.map(({ id }) => id).join(' '),
    kinds: blocks.map(({ kind }) => kind).join(' '),
    characters: blocks.map(({ characters }) => characters),
    lengths: blocks.map(({ text }) => text.length),
    ...(ruby.length === 0 ? {} : { ruby }),
    bytes: texts.length,
  };
  return [lineOf(line), texts, lineEnd];
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
  const sections = Array.from({ length: head.sections }, () => {
    const line = next() as SectionLine;
    const from = at;
    const to = from + line.bytes;
    at = to + lineEnd.length;
    return sectionOf(line, body.toString('utf8', from, to));
  });
  const { encoding, title, author, declaredLanguage, ...facts } = head.document;
  return { document: { ...facts, encoding, title, author, declaredLanguage, sections }, warnings: head.warnings };
}

function sectionOf({ title, ids, kinds, characters, lengths, ruby = [] }: SectionLine, texts: string): Section {
  const idOf = ids.split(' ');
  const kindOf = kinds.split(' ') as Block['kind'][];
  let at = 0;
  const blocks = lengths.map((length, i): Block => {
    const from = at;
    at += length;
    const [id, kind] = [idOf[i], kindOf[i]];
    if (id === undefined || kind === undefined) throw new Error('a section that is not whole');
    return { id, kind, text: texts.slice(from, at), characters: characters[i] ?? 0 };
  });
  for (const [i, readings] of ruby) {
    const block = blocks[i];
    if (block !== undefined) block.ruby = readings;
  }
  return { title, blocks };
}
