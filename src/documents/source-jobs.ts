/** What is done with a source file inside the sandbox: plain data in, plain data out. */
import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type DetectedLanguage, detectBookLanguage, likelyLanguage } from '../language/detect-language.ts';
import {
  blocksOf,
  type Document,
  type DocumentFormat,
  type ReadOptions,
  type Translations,
  type WriteOptions,
  type WriteResult,
} from './document.ts';
import { type OpenedDocument, openDocument, sniffFormat } from './formats.ts';
import { describeDocument } from './metadata.ts';

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

/** What a source is read with. */
type SourceReading = Omit<SourceFile, 'path' | 'sizeBytes'>;

/** A file, or bytes that are at hand. */
export type SourceToRead = SourceReading & ({ path: string } | { bytes: Uint8Array });

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export function countSource(source: SourceToRead): SourceCount {
  const { format, characters, totalCharacters } = openBytes(bytesOf(source), source).document;
  return { format, characters, totalCharacters };
}

function bytesOf(source: SourceToRead): Uint8Array {
  return 'bytes' in source ? source.bytes : readFileSync(source.path);
}

/** What the source is in; undefined when neither its text nor the file says. @throws like `countSource` */
export async function languageOfSource(source: SourceToRead): Promise<string | undefined> {
  const { language, whole } = await openJudgedSource(source);
  return likelyLanguage(language, whole.declaredLanguage);
}

export async function describeSource(source: SourceFile): Promise<ReturnType<typeof describeDocument>> {
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
export async function openJudgedSource(source: SourceToRead): Promise<JudgedSource> {
  const bytes = bytesOf(source);
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
    const message = `The source has more than ${maxCharacters.toLocaleString('en')} characters.`;
    const details = { field: 'file', reason: 'TOO_MANY_CHARACTERS', limit_characters: maxCharacters };
    throw new AppError('PAYLOAD_TOO_LARGE', message, { details });
  }
  return opened;
}

export interface WriteJob {
  source: SourceFile;
  texts: Translations;
  options: WriteOptions;
}

/** The book with other texts, as when it is made again with corrections. */
export function writeTranslated({ source, texts, options }: WriteJob): WriteResult {
  return openDocument(readFileSync(source.path), readingOf(source)).write(texts, options);
}

function readingOf({ fileName, charLimit, skipFrontMatter, maxArchiveBytes }: SourceReading): ReadOptions {
  return { fileName, skipFrontMatter, maxArchiveBytes, ...(charLimit === undefined ? {} : { charLimit }) };
}
