/** What a passage is told of the text around it, cut to length. */
import { isUnspaced, script, scriptAt } from '../../language/scripts.ts';

/** A scene's worth of speech: who is present, how they address each other, in what tense it is told. */
const charactersBefore = { atLeast: 600, atMost: 900 };
/** Source text shows where a passage stands, and nothing of how it is translated: less of it is enough. */
const sourceCharactersBefore = { atLeast: 240, atMost: 600 };
const charactersAfter = 100;

/** The end of what stands before, in the source. */
export function endOf(texts: readonly string[]): string[] {
  return tailOf(texts, sourceCharactersBefore);
}

/** Shorter lines, such as those of a list or a proclamation, need not show how the book is told. */
const proseCharacters = 120;

/** The end of what stands before, as it was translated. Behind lines that show no voice, the end of the last prose before them is told too. */
export function translatedEndOf(texts: readonly string[]): string[] {
  const isProse = (text: string): boolean => text.length >= proseCharacters;
  const tail = tailOf(texts, charactersBefore);
  if (tail.some(isProse)) return tail;
  const prose = texts.slice(0, texts.length - tail.length).findLast(isProse);
  if (prose === undefined) return tail;
  return [`…${prose.slice(wordStart(prose, Math.max(0, prose.length - 2 * proseCharacters)))} …`, ...tail];
}

/** Whole paragraphs from the end; one is cut where they would be too few characters without it. */
function tailOf(texts: readonly string[], { atLeast, atMost }: { atLeast: number; atMost: number }): string[] {
  const tail: string[] = [];
  let left = atMost;
  for (const text of texts.toReversed()) {
    if (text.length <= left) {
      tail.unshift(text);
      left -= text.length;
      continue;
    }
    if (atMost - left < atLeast) tail.unshift(`…${text.slice(wordStart(text, text.length - left))}`);
    break;
  }
  return tail;
}

export function beginningOf(text: string): string {
  return text.length <= charactersAfter ? text : `${text.slice(0, wordStart(text, charactersAfter))}…`;
}

/** A place near `index` (before it) where a word starts; never inside a surrogate pair. */
function wordStart(text: string, index: number): number {
  const scriptHere = scriptAt(text, index);
  if (scriptHere !== script.none && !isUnspaced(scriptHere)) {
    const space = text.lastIndexOf(' ', index);
    if (space >= 0 && index - space < 30) return space + 1;
  }
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index;
}
