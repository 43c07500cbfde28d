import { tokenizeInline } from '../../inline-tags.ts';
import { parseLanguage, scriptOf } from '../../language/languages.ts';
import { type PseudoScript, pseudoScript } from './pseudo-words.ts';

/**
 * Turns a text into invented words of the target language. Line breaks, indentation, numbers and inline tags stay exactly
 * as they are. Terms are replaced by their targets, also when a tag cuts through them (a drop cap: `<1>A</1>lice`).
 */
export function pseudoTranslate(text: string, targetLang: string, replacements: readonly Replacement[]): string {
  const script = scriptFor(targetLang);
  const tokens = tokenizeInline(text);
  const plain = tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('');
  const ranges = findRanges(plain, replacements);
  const writer = createWriter(script, targetLang);
  let offset = 0;
  let next = 0;
  for (const token of tokens) {
    if (token.kind !== 'text') {
      writer.tag(token.raw);
      continue;
    }
    const end = offset + token.text.length;
    while (offset < end) {
      const range = ranges[next];
      if (range === undefined || range.start >= end) {
        writer.text(plain.slice(offset, end));
        offset = end;
      } else if (range.start > offset) {
        writer.text(plain.slice(offset, range.start));
        offset = range.start;
      } else {
        if (range.start === offset) writer.term(range.target, plain.slice(range.start, range.end));
        offset = Math.min(end, range.end);
        if (offset === range.end) next += 1;
      }
    }
  }
  return writer.result();
}

/** A name in the target script, built character by character so that short and long forms stay related. */
export function pseudoName(source: string, targetLang: string): string {
  const script = scriptFor(targetLang);
  return source
    .split(/\s+/u)
    .map((part) => {
      const characters = [...part].filter((character) => /[\p{L}\p{N}]/u.test(character));
      const perCharacter = characters.some((character) => unspaced.test(character));
      const name = perCharacter
        ? characters.map((character) => script.syllable(character)).join('')
        : script.word(`${part.toLowerCase()}\u0000name`, Math.max(6, characters.length));
      return capitalise(name);
    })
    .join(script.spaced ? ' ' : '');
}

function scriptFor(targetLang: string): PseudoScript {
  return pseudoScript(scriptOf(targetLang), parseLanguage(targetLang)?.code ?? targetLang);
}

/** Letters of scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const piecePattern = new RegExp(
  `(?<space>\\s+)|(?<run>(?:${unspaced.source}\\p{M}*)+)|(?<number>\\p{N}+(?:[.,:]\\p{N}+)*)` +
    `|(?<word>\\p{L}[\\p{L}\\p{M}]*(?:['’][\\p{L}\\p{M}]+)*)|(?<other>\\.{2,}|.)`,
  'gsu',
);

function createWriter(script: PseudoScript, targetLang: string) {
  const cjkTarget = !script.spaced && !['Thai', 'Laoo', 'Khmr', 'Mymr'].includes(scriptOf(targetLang));
  let output = '';
  /** Last character that is not part of a tag. */
  let last = '';
  let sentenceStart = true;

  const push = (piece: string): void => {
    output += piece;
    last = piece.at(-1) ?? last;
  };
  const word = (piece: string, addSpace: boolean): void => {
    if (addSpace && script.spaced && /[\p{L}\p{M}\p{N}.,!?;:)”’…]/u.test(last)) {
      // The space belongs before an opening tag, not inside the run that the tag formats.
      const opening = /(?:<\d{1,6}>)+$/u.exec(output)?.index ?? output.length;
      output = `${output.slice(0, opening)} ${output.slice(opening)}`;
    }
    push(sentenceStart ? capitalise(piece) : piece);
    sentenceStart = false;
  };

  return {
    text(piece: string) {
      for (const { groups, 0: raw } of piece.matchAll(piecePattern)) {
        if (groups?.space !== undefined) {
          // Scripts without word spaces drop the single spaces between words; indentation and breaks stay.
          if (script.spaced || raw !== ' ' || last === '' || /\s/u.test(last)) push(raw);
        } else if (groups?.run !== undefined) {
          const step = 2;
          const characters = [...raw];
          for (let i = 0; i < characters.length; i += step) {
            const group = characters.slice(i, i + step).join('');
            word(script.word(group, cjkTarget ? 4 : 5), true);
          }
        } else if (groups?.number !== undefined) {
          word(raw, /\p{L}/u.test(last));
        } else if (groups?.word !== undefined) {
          const hangul = /\p{Script=Hangul}/u.test(raw);
          const rendered = script.word(raw.toLowerCase(), hangul ? raw.length * 2.2 : raw.length);
          word(/^\p{Lu}/u.test(raw) ? capitalise(rendered) : rendered, false);
        } else {
          const mark = cjkTarget ? (toCjk[raw] ?? raw) : (fromCjk[raw] ?? raw);
          push(mark);
          if (/[.!?。！？]/u.test(mark)) sentenceStart = true;
        }
      }
    },
    term(target: string, source: string) {
      word(target, [...source].some((character) => unspaced.test(character)) || /[\p{L}\p{M}]/u.test(last));
      sentenceStart = false;
    },
    tag(raw: string) {
      output += raw;
    },
    result: () => output,
  };
}

function capitalise(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

function marksOf(from: string, to: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...from].map((mark, i) => [mark, to[i] ?? mark]));
}

const fromCjk = marksOf('。，、！？：；「」『』《》（）【】・', '.,,!?:;“”‘’“”()[] ');
const toCjk = marksOf(',!?;.', '，！？；。');

export interface Replacement {
  source: string;
  target: string;
}

export interface ReplacedRange extends Replacement {
  start: number;
  end: number;
}

/** Where the terms occur in a plain text: longest first, ranges never overlap, in order of position. */
export function findRanges(plain: string, replacements: readonly Replacement[]): ReplacedRange[] {
  const ranges: ReplacedRange[] = [];
  const taken = new Uint8Array(plain.length);
  const longestFirst = [...replacements].sort((a, b) => b.source.length - a.source.length);
  for (const { source, target } of longestFirst) {
    if (source.trim() === '') continue;
    for (const match of plain.matchAll(occurrencePattern(source))) {
      const range = { start: match.index, end: match.index + match[0].length, source, target };
      if (taken.subarray(range.start, range.end).includes(1)) continue;
      taken.fill(1, range.start, range.end);
      ranges.push(range);
    }
  }
  return ranges.sort((a, b) => a.start - b.start);
}

export function occursIn(plain: string, source: string): boolean {
  return source.trim() !== '' && plain.search(occurrencePattern(source)) >= 0;
}

/**
 * Han, kana and Thai: anywhere. Other scripts: from a word start, and with at most three letters of ending, which
 * covers plurals, possessives and the commonest Korean particles.
 */
function occurrencePattern(source: string): RegExp {
  const escaped = source
    .trim()
    .split(/\s+/u)
    .map((part) => RegExp.escape(part))
    .join('\\s+');
  const first = /^[\p{L}\p{N}]/u.test(source) && !unspaced.test(source.slice(0, 2)) ? '(?<![\\p{L}\\p{N}])' : '';
  const lastCharacter = [...source.trim()].at(-1) ?? '';
  const ending =
    /[\p{L}\p{N}]/u.test(lastCharacter) && !unspaced.test(lastCharacter)
      ? `(?=['’]?\\p{L}{0,3}(?![\\p{L}\\p{N}]))`
      : '';
  return new RegExp(first + escaped + ending, 'giu');
}
