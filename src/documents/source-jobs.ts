/** What is done with a source file inside a bounded child process: plain data in, plain data out. */
import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import type { DocumentFormat, ReadOptions, ReadResult, WriteOptions } from './document.ts';
import { readDocument, type WriteResult, writeDocument } from './formats.ts';
import { type DocumentMetadata, describeDocument } from './metadata.ts';
import { type PackedTexts, unpackTexts } from './packed-texts.ts';

export interface SourceFile {
  path: string;
  fileName: string;
  charLimit: number | undefined;
  maxCharacters: number;
}

export interface SourceCount {
  format: DocumentFormat;
  /** Of the range: what is held and charged. */
  characters: number;
  totalCharacters: number;
}

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export function countSource(source: SourceFile): SourceCount {
  const { document } = readSource(source);
  return { format: document.format, characters: document.characters, totalCharacters: document.totalCharacters };
}

export function readSource(source: SourceFile): ReadResult {
  const { maxCharacters } = source;
  const result = readDocument(readFileSync(source.path), readOptionsOf(source));
  if (result.document.totalCharacters > maxCharacters) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The source has more than ${maxCharacters.toLocaleString('en')} characters.`,
      {
        details: { field: 'file', reason: 'TOO_MANY_CHARACTERS', limit_characters: maxCharacters },
      },
    );
  }
  return result;
}

export async function describeSource(source: SourceFile): Promise<DocumentMetadata> {
  return await describeDocument(readSource(source).document, { fileName: source.fileName });
}

export interface WriteJob {
  source: SourceFile;
  texts: PackedTexts;
  options: WriteOptions;
}

export function writeTranslated({ source, texts, options }: WriteJob): WriteResult {
  return writeDocument(readFileSync(source.path), readOptionsOf(source), unpackTexts(texts), options);
}

function readOptionsOf({ fileName, charLimit }: SourceFile): ReadOptions {
  return { fileName, ...(charLimit === undefined ? {} : { charLimit }) };
}
