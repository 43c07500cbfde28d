/** Writes a plain text with its blocks replaced, as UTF-8 without a mark and with the newlines of the source. */
import { tokenizeInline } from '../../inline-tags.ts';
import { isLimited } from '../assemble-document.ts';
import type { Document, WriteOptions, WrittenDocument } from '../document.ts';
import { repairInline } from '../inline-repair.ts';
import { translateHeadingNote } from './aozora.ts';
import { type ParsedTxt, parseTxt, type TxtSpan } from './parse-txt.ts';

/** `translations` by block id; a block without one stays as it is. */
export function writeTxt(
  bytes: Uint8Array,
  document: Document,
  translations: ReadonlyMap<string, string>,
  options: WriteOptions,
): WrittenDocument {
  const parsed = parseTxt(bytes, isLimited(document) ? { charLimit: document.characters } : {});
  const out = new Utf8Text();
  let done = 0;
  for (const span of parsed.spans) {
    const translation = translations.get(span.block.id);
    // An unchanged block keeps even its line breaks and ruby.
    if (translation === undefined || translation === span.block.text) continue;
    const source = parsed.text.slice(span.from, span.to);
    const written = translateHeadingNote(source, layOut(translation, span, parsed));
    if (options.variant === 'bilingual') {
      const gap = parsed.blankSeparated ? parsed.newline + parsed.newline : parsed.newline;
      out.add(parsed.text.slice(done, span.lineEnd), gap, indentOf(span, 0, parsed), written);
      done = span.lineEnd;
    } else {
      out.add(parsed.text.slice(done, span.from), written);
      done = span.to;
    }
  }
  out.add(parsed.text.slice(done));
  return { bytes: out.bytes(), extension: 'txt', mediaType: 'text/plain; charset=utf-8' };
}

/** Encodes as it goes: the whole text as one string would take two bytes a character on top of the bytes themselves. */
class Utf8Text {
  readonly #chunks: Buffer[] = [];
  #waiting: string[] = [];
  #length = 0;

  add(...texts: string[]): void {
    for (const text of texts) {
      this.#waiting.push(text);
      this.#length += text.length;
    }
    if (this.#length > 256 * 1024) this.#encode();
  }

  bytes(): Buffer {
    this.#encode();
    return Buffer.concat(this.#chunks);
  }

  #encode(): void {
    this.#chunks.push(Buffer.from(this.#waiting.join(''), 'utf8'));
    this.#waiting = [];
    this.#length = 0;
  }
}

function layOut(translation: string, span: TxtSpan, parsed: ParsedTxt): string {
  // Nearly every block has no tags on either side.
  const isPlain = span.rawTags.length === 0 && !translation.includes('<');
  const restored = isPlain
    ? translation
    : tokenizeInline(repairInline(translation, span.block.text).text)
        .map((token) => (token.kind === 'text' ? token.text : (span.rawTags[token.number - 1] ?? '')))
        .join('');
  if (!/[\r\n]/.test(restored)) return restored.trim();
  const lines = restored.split(/\r\n|[\r\n]/);
  if (span.block.kind !== 'verse') return lines.map((line) => line.trim()).join(' ');
  return lines.map((line, i) => (i === 0 ? line : indentOf(span, i, parsed) + line)).join(parsed.newline);
}

function indentOf(span: TxtSpan, line: number, { text, lines }: ParsedTxt): string {
  const at = span.firstLine + Math.min(line, span.lineCount - 1);
  return text.slice(lines.start[at], lines.from[at]);
}
