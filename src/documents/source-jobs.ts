/** What is done with a source file inside the sandbox: plain data in, plain data out. */
import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type DetectedLanguage, detectBookLanguage, likelyLanguage } from '../language/detect-language.ts';
import {
  blocksOf,
  type Document,
  type DocumentFormat,
  type ReadOptions,
  type WriteOptions,
  type WriteResult,
} from './document.ts';
import { type OpenedDocument, openDocument, sniffFormat, writeDocument } from './formats.ts';
import { type DocumentMetadata, describeDocument } from './metadata.ts';
import { type PackedTexts, unpackTexts } from './packed-texts.ts';

export interface SourceFile {
  path: string;
  sizeBytes: number;
  fileName: string;
  charLimit: number | undefined;
  skipFrontMatter: boolean;
  maxCharacters: number;
  maxArchiveBytes: number;
}

export interface SourceCount {
  format: DocumentFormat;
  /** Of the range: what is held and charged. */
  characters: number;
  totalCharacters: number;
}

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export function countSource(source: SourceFile): SourceCount {
  return countBytes(readFileSync(source.path), source);
}

function countOf({ document: { format, characters, totalCharacters } }: OpenedDocument): SourceCount {
  return { format, characters, totalCharacters };
}

/** What a source is read with; where it is read from is another matter. */
export type SourceReading = Omit<SourceFile, 'path' | 'sizeBytes'>;

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export function countBytes(bytes: Uint8Array, reading: SourceReading): SourceCount {
  return countOf(openBytes(bytes, reading));
}

/** What the source is in; undefined when neither its text nor the file says. @throws like `countSource` */
export async function languageOfSource(source: SourceFile): Promise<string | undefined> {
  return await languageOfBytes(readFileSync(source.path), source);
}

/** @throws like `countSource` */
export async function languageOfBytes(bytes: Uint8Array, reading: SourceReading): Promise<string | undefined> {
  const { language, whole } = await openJudgedBytes(bytes, reading);
  return likelyLanguage(language, whole.declaredLanguage);
}

export async function describeSource(source: SourceFile): Promise<DocumentMetadata> {
  const { document, whole, language } = await openJudgedSource(source);
  return describeDocument(whole, document, { fileName: source.fileName, language });
}

export interface JudgedSource extends OpenedDocument {
  /** What the whole source is written in; undefined when the text does not say. */
  language: DetectedLanguage | undefined;
  /** The same source without a limit. */
  whole: Document;
}

/**
 * Every action reads its source through this function. The language is judged over the whole source, also when only its
 * beginning is taken. A preview of a licence page must not decide what language the book is in.
 * @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE
 */
export async function openJudgedSource(source: SourceFile): Promise<JudgedSource> {
  return await openJudgedBytes(readFileSync(source.path), source);
}

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export async function openJudgedBytes(bytes: Uint8Array, source: SourceReading): Promise<JudgedSource> {
  const opened = openBytes(bytes, source);
  const whole =
    opened.document.characters >= opened.document.totalCharacters
      ? opened.document
      : openBytes(bytes, { ...source, charLimit: undefined, skipFrontMatter: false }).document;
  return { ...opened, whole, language: await detectBookLanguage(blocksOf(whole).map((block) => block.text)) };
}

/** What cannot be read is not plain text either; the reader says why. */
export function isPlainText(bytes: Uint8Array, fileName: string): boolean {
  try {
    return sniffFormat(bytes, fileName) === 'txt';
  } catch {
    return false;
  }
}

function openBytes(bytes: Uint8Array, source: SourceReading): OpenedDocument {
  const { maxCharacters } = source;
  const opened = openDocument(bytes, readingOf(source));
  if (opened.document.totalCharacters > maxCharacters) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The source has more than ${maxCharacters.toLocaleString('en')} characters.`,
      {
        details: { field: 'file', reason: 'TOO_MANY_CHARACTERS', limit_characters: maxCharacters },
      },
    );
  }
  return opened;
}

export interface WriteJob {
  source: SourceFile;
  texts: PackedTexts;
  options: WriteOptions;
}

/** The book with other texts, as when it is made again with corrections. */
export function writeTranslated({ source, texts, options }: WriteJob): WriteResult {
  return writeDocument(readFileSync(source.path), readingOf(source), unpackTexts(texts), options);
}

function readingOf({ fileName, charLimit, skipFrontMatter, maxArchiveBytes }: SourceReading): ReadOptions {
  return { fileName, skipFrontMatter, maxArchiveBytes, ...(charLimit === undefined ? {} : { charLimit }) };
}
