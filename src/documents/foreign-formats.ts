/**
 * Files that a text reader could open and would ruin: their text is code, data or markup of a kind that is not written
 * back. Told by what they hold, and by name where a name is all there is.
 */
import type { AppError } from '../errors.ts';
import { sourceFault } from './source-faults.ts';

/** What the file is, for the sentence of the refusal; undefined for text that may be a book. */
export function foreignFormat(head: string, extension: string): string | undefined {
  const start = head.replace(/^\ufeff?\s*/, '');
  const content = byContent.find(([pattern]) => pattern.test(start))?.[1];
  const name = byName.find(([, extensions]) => extensions.includes(extension))?.[0];
  return content ?? (name && `named .${extension}, ${name}`);
}

const byContent: readonly [RegExp, string][] = [
  [/^\{\\rtf\d/, 'a rich text document (RTF); save it as DOCX or ODT'],
  [/^%!(?:PS|FONT)/, 'a PostScript document'],
  [/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE\s+svg[^>]*>\s*)*<(?:svg:)?svg[\s>]/i, 'a drawing (SVG)'],
  [/^\\(?:documentclass|documentstyle)\b/, 'a TeX document'],
  [/^(?:\d+\s*\r?\n)\d\d:\d\d:\d\d[,.]\d{3}\s*-->/, 'subtitles (SRT)'],
  [/^WEBVTT(?:\s|$)/, 'subtitles (WebVTT)'],
  [/^\[Script Info\]/i, 'subtitles (ASS)'],
  [/^(?:[A-Z][A-Za-z-]{1,40}:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){3,}\r?\n/, 'an e-mail message'],
  [/^[[{]\s*(?:"(?:[^"\\]|\\.)*"\s*[:,\]]|[{[]\s*(?:"|[{[])|\}\s*$|\]\s*$)/, 'data (JSON)'],
];

/** What a name alone says, with the extensions that say it. */
const byName: readonly [string, string[]][] = [
  ['and is not plain text by that name', ['rtf']],
  ['which is data and not a book', ['json', 'jsonl', 'yaml', 'yml']],
  ['which is a table of data', ['csv', 'tsv']],
  ['which is a drawing', ['svg']],
  ['which is a PostScript document', ['ps', 'eps']],
  ['which is a TeX document', ['tex', 'latex']],
  ['which are subtitles', ['srt', 'vtt', 'ass']],
  ['which is an e-mail message', ['eml']],
  ['which are e-mail messages', ['mbox']],
];

/** The container of Word up to 2003, and of a newer document that is locked with a password. */
export function isCompoundFile(bytes: Uint8Array): boolean {
  const mark = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
  return mark.every((byte, i) => bytes[i] === byte);
}

/** Names inside are UTF-16: `EncryptedPackage` is a locked DOCX, `WordDocument` an old DOC. */
export function officeFault(bytes: Uint8Array): AppError {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const holds = (name: string) => buffer.includes(Buffer.from(name, 'utf16le'));
  if (holds('EncryptedPackage')) return sourceFault('ENCRYPTED_SOURCE', 'Remove the password and send it again.');
  return sourceFault(
    'LEGACY_DOC',
    holds('WordDocument') ? 'Save it as DOCX and send it again.' : 'It is an old office file of another kind.',
  );
}
