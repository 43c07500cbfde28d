/** What is done with a source file inside a bounded child process: plain data in, plain data out. */
import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type DetectedLanguage, detectBookLanguage } from '../language/detect-language.ts';
import { blocksOf, type DocumentFormat, type ReadOptions, type ReadResult, type WriteOptions } from './document.ts';
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

export interface JudgedSource extends ReadResult {
  /** What the whole source is written in; undefined when the text does not say. */
  language: DetectedLanguage | undefined;
}

/**
 * Every action reads its source through this function. The language is judged over the whole source, also when only its
 * beginning is taken: a preview of a licence page must not decide what language the book is in.
 * @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE
 */
export async function readJudgedSource(source: SourceFile): Promise<JudgedSource> {
  const result = readSource(source);
  const isWhole = result.document.characters >= result.document.totalCharacters;
  const whole = isWhole ? result.document : readSource({ ...source, charLimit: undefined }).document;
  return { ...result, language: await detectBookLanguage(blocksOf(whole).map((block) => block.text)) };
}

export async function describeSource(source: SourceFile): Promise<DocumentMetadata> {
  const { document, language } = await readJudgedSource(source);
  return describeDocument(document, { fileName: source.fileName, language });
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
