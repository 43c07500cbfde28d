/** Writes a plain text with its blocks replaced, as UTF-8 without a mark and with the newlines of the source. */
import { tokenizeInline } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { ReadOptions, Translations, WriteOptions, WrittenDocument } from '../document.ts';
import { quoteMark } from '../translation-mark.ts';
import { translateHeadingNote } from './aozora.ts';
import { type ParsedTxt, parseTxt, type TxtPlace } from './parse-txt.ts';
import { TxtPlaces } from './txt-places.ts';

/** `translations` by block id; a block without one stays as it is. */
export function writeTxt(
  bytes: Uint8Array,
  source: ReadOptions,
  translations: Translations,
  options: WriteOptions,
): WrittenDocument {
  const places = new TxtPlaces();
  const parsed = parseTxt(bytes, source, places);
  // Laid out twice, to know the size first: the pieces of a 20 MB novel and their sum would be in memory together.
  let sizeBytes = 0;
  for (const piece of piecesOf(parsed, places, translations, options)) sizeBytes += Buffer.byteLength(piece);
  const out = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for (const piece of piecesOf(parsed, places, translations, options)) at += out.write(piece, at);
  return { bytes: out, extension: 'txt', mediaType: 'text/plain; charset=utf-8' };
}

function* piecesOf(
  parsed: ParsedTxt,
  places: TxtPlaces,
  translations: Translations,
  options: WriteOptions,
): Generator<string> {
  const { text, lines, newline } = parsed;
  let done = 0;
  for (const { number, place } of places) {
    const translation = translations.get(`b${number}`);
    const mark = options.variant === 'bilingual' ? quoteMark : '';
    const laidOut = translation === undefined ? undefined : layOut(translation, place, parsed, mark);
    if (laidOut === undefined) continue;
    const lastLine = place.firstLine + place.lineCount - 1;
    const end = lines.to[lastLine] as number;
    const written = translateHeadingNote(text.slice(place.start, end), laidOut);
    if (options.variant === 'bilingual') {
      const lineEnd = lines.end[lastLine] as number;
      yield text.slice(done, lineEnd);
      yield parsed.blankSeparated ? newline + newline : newline;
      yield indentOf(place, 0, parsed) + mark;
      done = lineEnd;
    } else {
      yield text.slice(done, place.start);
      done = end;
    }
    yield written;
  }
  yield text.slice(done);
}

/** Undefined for an unchanged block, which keeps even its line breaks and ruby. `mark` begins each line of verse after the first. */
function layOut(translation: string, place: TxtPlace, parsed: ParsedTxt, mark: string): string | undefined {
  const source = parsed.rebuild(place);
  if (translation === source.text) return undefined;
  // Nearly every block has no tags on either side.
  const isPlain = source.rawTags.length === 0 && !translation.includes('<');
  const restored = isPlain
    ? translation
    : tokenizeInline(projectTags(source.text, translation).text)
        .map((token) => (token.kind === 'text' ? token.text : (source.rawTags[token.number - 1] ?? '')))
        .join('');
  if (!/[\r\n]/.test(restored)) return restored.trim();
  const lines = restored.split(/\r\n|[\r\n]/);
  if (place.join !== 'verse') return lines.map((line) => line.trim()).join(' ');
  return lines.map((line, i) => (i === 0 ? line : indentOf(place, i, parsed) + mark + line)).join(parsed.newline);
}

function indentOf(place: TxtPlace, line: number, { text, lines }: ParsedTxt): string {
  const at = place.firstLine + Math.min(line, place.lineCount - 1);
  return text.slice(lines.start[at], lines.from[at]);
}
