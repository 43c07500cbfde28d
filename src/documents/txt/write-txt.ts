/** Writes a plain text with its blocks replaced, as UTF-8 without a mark and with the newlines of the source. */
import { tokenizeInline } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { ReadOptions, Translations, WriteOptions, WrittenDocument } from '../document.ts';
import { quoteMark } from '../translation-mark.ts';
import { translateHeadingNote } from './aozora.ts';
import { type ParsedTxt, parseTxt, type TxtPlace } from './parse-txt.ts';

/** `translations` by block id; a block without one stays as it is. */
export function writeTxt(
  bytes: Uint8Array,
  source: ReadOptions,
  translations: Translations,
  { variant }: WriteOptions,
): WrittenDocument {
  const parsed = parseTxt(bytes, source);
  const { text, lines, newline, blocks } = parsed;
  const mark = variant === 'bilingual' ? quoteMark : '';
  const pieces: string[] = [];
  let done = 0;
  for (const block of blocks) {
    const { place, repeats = block } = block;
    const translation = translations.get(`b${repeats.number}`);
    const laidOut = translation === undefined ? undefined : layOut(translation, block, parsed, mark);
    if (laidOut === undefined) continue;
    const lastLine = place.firstLine + place.lineCount - 1;
    const end = lines.to[lastLine] as number;
    const written = translateHeadingNote(text.slice(place.start, end), laidOut);
    if (variant === 'bilingual') {
      const lineEnd = lines.end[lastLine] as number;
      pieces.push(text.slice(done, lineEnd), parsed.blankSeparated ? newline + newline : newline);
      pieces.push(indentOf(place, 0, parsed) + mark, written);
      done = lineEnd;
    } else {
      pieces.push(text.slice(done, place.start), written);
      done = end;
    }
  }
  pieces.push(text.slice(done));
  return { bytes: Buffer.from(pieces.join('')), extension: 'txt', mediaType: 'text/plain; charset=utf-8' };
}

/** Undefined for an unchanged block, which keeps even its line breaks and ruby. `mark` begins each line of verse after the first. */
function layOut(
  translation: string,
  { text, rawTags, place }: ParsedTxt['blocks'][number],
  parsed: ParsedTxt,
  mark: string,
): string | undefined {
  if (translation === text) return undefined;
  const restored = tokenizeInline(projectTags(text, translation).text)
    .map((token) => (token.kind === 'text' ? token.text : (rawTags[token.number - 1] ?? '')))
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
