/** The text of one block out of its lines: joined, without markup, literal tags protected. */
import { countCharacters, type RubyReading, type SkipReason } from '../document.ts';
import { readAozoraMarkup } from './aozora.ts';
import { countTextCharacters } from './counting.ts';
import { joinsWithoutSpace } from './layout.ts';
import type { Lines } from './lines.ts';

/** `line`: a single line; `flow`: wrapped lines become one; `verse`: lines stay lines. */
export type Join = 'line' | 'flow' | 'verse';

export interface BuiltText {
  text: string;
  characters: number;
  rawTags: readonly string[];
  ruby?: readonly RubyReading[];
}

export type Skip = (reason: SkipReason, characters: number) => void;

export function buildBlockText(
  text: string,
  lines: Lines,
  from: number,
  to: number,
  options: { start: number; join: Join; aozora: boolean; isCut: boolean },
  skip: Skip,
): BuiltText {
  const rawTags: string[] = [];
  const ruby: RubyReading[] = [];
  const parts: string[] = [];
  for (let i = from; i < to; i++) {
    const start = i === from ? options.start : (lines.from[i] as number);
    if (i > from) {
      const between = countTextCharacters(text, lines.to[i - 1], start);
      const glue = glueOf(text, lines.to[i - 1] as number, start, options.join);
      parts.push(glue);
      // The newline is in the block as a space or newline, the white space around it is not.
      skip('whitespace', between - glue.length);
    }
    let line = text.slice(start, lines.to[i]);
    if (options.aozora && options.isCut && i === to - 1) line = withoutHalfMarkup(line, skip);
    line = cleanLine(line, options.aozora, { rawTags, ruby }, skip);
    parts.push(line);
  }
  const joined = parts.join('');
  const tags = rawTags.reduce((sum, _, i) => sum + `<${i + 1}/>`.length, 0);
  return {
    text: joined,
    characters: countCharacters(joined) - tags,
    rawTags,
    ...(ruby.length > 0 ? { ruby } : {}),
  };
}

function cleanLine(
  line: string,
  aozora: boolean,
  { rawTags, ruby }: { rawTags: string[]; ruby: RubyReading[] },
  skip: Skip,
): string {
  const asTag = (raw: string) => {
    rawTags.push(raw);
    skip('markup', countCharacters(raw));
    return `<${rawTags.length}/>`;
  };
  const safe = line.includes('<') ? line.replace(literalTag, asTag) : line;
  if (!aozora || !/[《［]/.test(safe)) return safe;
  // A missing character travels as a tag: the engine has nothing to say about its description.
  const read = readAozoraMarkup(safe, asTag);
  ruby.push(...read.ruby);
  skip('ruby-annotation', read.rubyCharacters);
  skip('markup', read.markupCharacters);
  return read.text;
}

/** A limit inside a reading or a note leaves its beginning, which is no text. */
function withoutHalfMarkup(line: string, skip: Skip): string {
  const whole = line.replace(/(?:《[^》]{0,60}|※?［＃?[^］]{0,200}|※)$/u, '').replace(/[｜|](?=[^《]{0,30}$)/u, '');
  skip('markup', countCharacters(line) - countCharacters(whole));
  return whole;
}

/** Text that `inline-tags.ts` would take for a tag. */
const literalTag = /<(?:\/?\d{1,6}|\d{1,6}\/)>/g;

function glueOf(text: string, before: number, after: number, join: Join): string {
  if (join === 'verse') return '\n';
  const last = text.charCodeAt(before - 1);
  const next = text.charCodeAt(after);
  if (joinsWithoutSpace(last) && joinsWithoutSpace(next)) return '';
  // A hyphen or dash at the end of a line belongs to a compound or joins two clauses: well-|known, word--|word.
  const dash = (last === 0x2d || last === 0x2014) && text.charCodeAt(before - 2) > 0x20;
  return dash && /\p{L}/u.test(text.charAt(after)) ? '' : ' ';
}
