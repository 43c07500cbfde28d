/**
 * The markup of Aozora Bunko, which Japanese web novels share in part. Ruby is 漢字《かんじ》 or ｜base《reading》, ［＃…］ stands
 * for layout and emphasis, and ※［＃…］ for characters missing from the old encodings. A legend between dashed lines
 * follows title and author, and a colophon begins with 底本.
 */
import type { RubyReading } from '../document.ts';
import type { LineRole } from './chapters.ts';
import { isBlank, type Lines, lineText } from './lines.ts';

export interface ReadMarkup {
  text: string;
  ruby: RubyReading[];
  rubyCharacters: number;
  markupCharacters: number;
}

/** Markup only counts as such in Japanese: Chinese puts book titles between the same brackets. */
export function usesAozoraMarkup(text: string): boolean {
  const sample = text.slice(0, 200_000);
  if (!/[ぁ-ん]/.test(sample)) return false;
  return /［＃|[一-鿿々〆ヶ]《[ぁ-んゝゞァ-ヶーヽヾ]+》|[｜|][^《\n]{1,20}《/u.test(sample);
}

// Every run is bounded: an unclosed bracket must not send each of thousands of others to the end of the line.
/** What a note holds; it may quote a missing character, which is a note itself. */
const inNote = '(?:[^［］<\\n]|［[^［］<\\n]{0,200}］){0,200}';
/** Kana with the marks that repeat them; ／＼ stands for the long one, ／″＼ for the same with voicing. */
const kana = '[ぁ-ゖゝゞァ-ヺヽヾー・〱-〵／＼″゛゜\\s]{1,40}';
const pattern = new RegExp(
  [
    '※［＃[^］<\\n]{0,200}?(?:、|[^0-9A-Za-z<])U\\+(?<code>[0-9A-Fa-f]{4,6})[^］<\\n]{0,200}］',
    `(?<missing>※［＃${inNote}］)`,
    `(?<note>［＃${inNote}］)`,
    '《《(?<dotted>[^》\\n]{1,40})》》',
    '[｜|](?<base>[^《｜|\\n]{1,60})(?<reading>《[^》<\\n]{1,60}》)',
    // A reading may follow the note of a missing character.
    `(?<=[\\p{Script=Han}々〆ヶ〇〻仝ァ-ヶーA-Za-zＡ-Ｚａ-ｚ］])《${kana}》`,
  ].join('|'),
  'gu',
);

/** Without ｜ a reading belongs to the characters of one script before it. */
const wordBefore = /(?:[\p{Script=Han}々〆ヶ〇〻仝]{1,20}|[ァ-ヶー]{1,20}|[A-Za-zＡ-Ｚａ-ｚ]{1,40})$/u;

/** Where the readings of a line stand, with their brackets. */
export function* rubyReadings(line: string): Generator<[start: number, end: number]> {
  if (!line.includes('《')) return;
  for (const match of line.matchAll(pattern)) {
    const end = match.index + match[0].length;
    const reading = match.groups?.reading;
    if (reading !== undefined) yield [end - reading.length, end];
    else if (isReading(match[0])) yield [match.index, end];
  }
}

function isReading(match: string): boolean {
  return match.startsWith('《') && !match.startsWith('《《');
}

/**
 * One line without its markup. Missing characters are put in where the note names their code point. Elsewhere `keep` says
 * what stands for the note, because only the original has the character.
 */
export function readAozoraMarkup(line: string, keep: (note: string) => string): ReadMarkup {
  let rubyCharacters = 0;
  let markupCharacters = 0;
  const ruby: RubyReading[] = [];
  const text = line.replace(pattern, (whole, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const length = [...whole].length;
    if (groups.code !== undefined && Number.parseInt(groups.code, 16) <= 0x10ffff) {
      markupCharacters += length - 1;
      return String.fromCodePoint(Number.parseInt(groups.code, 16));
    }
    if (groups.base !== undefined) {
      markupCharacters += 1;
      rubyCharacters += [...(groups.reading as string)].length;
      ruby.push({ base: groups.base, reading: (groups.reading as string).slice(1, -1) });
      return readMissing(groups.base);
    }
    if (groups.dotted !== undefined) {
      markupCharacters += 4;
      return groups.dotted;
    }
    if (isReading(whole)) {
      rubyCharacters += length;
      const base = wordBefore.exec(line.slice(0, rest.at(-3) as number))?.[0];
      if (base !== undefined) ruby.push({ base, reading: whole.slice(1, -1) });
      return '';
    }
    if (groups.missing !== undefined) return keep(whole);
    if (groups.note === undefined) return whole;
    markupCharacters += length;
    return '';
  });
  return { text, ruby, rubyCharacters, markupCharacters };

  /** The base of a reading may hold missing characters too. */
  function readMissing(base: string): string {
    if (!base.includes('［')) return base;
    const read = readAozoraMarkup(base, keep);
    markupCharacters += read.markupCharacters;
    return read.text;
  }
}

/** Lines that are the legend or the colophon. */
export function aozoraFrame(text: string, lines: Lines): { legend: Set<number>; colophon: Set<number> } {
  const legend = new Set<number>();
  const colophon = new Set<number>();
  // The header stands within the first lines, whatever the length of the book.
  const marker = findLine(text, lines, 0, Math.min(lines.count, 60), (line) =>
    line.startsWith('【テキスト中に現れる記号について】'),
  );
  if (marker !== undefined) {
    const isRule = (line: string) => /^-{10,}$/.test(line);
    const end = findLine(text, lines, marker, Math.min(lines.count, marker + 60), isRule) ?? marker;
    const start = marker > 0 && isRule(lineText(text, lines, marker - 1)) ? marker - 1 : marker;
    for (let i = start; i <= end; i++) legend.add(i);
  }
  const last = Math.max(0, lines.count - 60);
  const source = findLine(text, lines, last, lines.count, (line) => /^底本[：:]/.test(line));
  if (source !== undefined) for (let i = source; i < lines.count; i++) colophon.add(i);
  return { legend, colophon };
}

/** `［＃「一」は中見出し］` after a line makes it a heading. */
const headingNote = /［＃「(?<quoted>[^」]{0,200})」は(?<rank>[大中小])見出し］$/u;

const headingRoles: Readonly<Record<string, LineRole>> = { 大: 'part', 中: 'chapter', 小: 'subheading' };

export function aozoraHeadingRole(line: string): LineRole | undefined {
  return headingRoles[headingNote.exec(line)?.groups?.rank ?? ''];
}

/** The note that makes a line a heading quotes it, so it has to quote the translation. */
export function translateHeadingNote(source: string, translation: string): string {
  const groups = headingNote.exec(source)?.groups;
  return groups ? `${translation}［＃「${translation}」は${groups.rank}見出し］` : translation;
}

const leadingNotes = new RegExp(`^(?:［＃${inNote}］[\\s\u3000]*)*`, 'u');

/** Length of layout notes at the start of a line, such as `［＃８字下げ］`; they stay where they are. */
export function leadingNotesLength(line: string): number {
  return leadingNotes.exec(line)?.[0].length ?? 0;
}

function findLine(
  text: string,
  lines: Lines,
  from: number,
  to: number,
  matches: (line: string) => boolean,
): number | undefined {
  for (let i = from; i < to; i++) if (!isBlank(lines, i) && matches(lineText(text, lines, i))) return i;
  return undefined;
}
