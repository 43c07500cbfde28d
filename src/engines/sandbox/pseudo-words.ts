import inventory from './pseudo-words.json' with { type: 'json' };

/**
 * Invented words in any supported script: the same source word always gives the same word. So a sandbox translation is
 * deterministic and passes the checks of a real one: script, length, no echo of the source.
 */
export type PseudoScript = ReturnType<typeof scriptOf>;

export function pseudoScript(script: string, language: string): PseudoScript {
  if (characters[script] !== undefined) {
    const own = [...characters[script]];
    return scriptOf((hash) => pick(own, hash), { spaced: false, lettersEach: 2.6, most: 4 });
  }
  if (script === 'Kore') return scriptOf(hangulSyllable, { spaced: true, lettersEach: 2.2, most: 4 });
  const parts = syllables[script] ?? inventory.syllables.Latn;
  const [onsets, vowels, codas] = [[...parts.onsets], [...parts.vowels], ['', ...parts.codas]];
  return scriptOf((hash) => pick(onsets, hash) + pick(vowels, hash >>> 5) + pick(codas, hash >>> 9), {
    spaced: !unspacedScripts.has(script),
    lettersEach: 2.6,
    most: 5,
    words: functionWords[language]?.split(' ') ?? [],
  });
}

/** FNV-1a: 32 bits are plenty to choose syllables, and the same on every machine. */
export function hashText(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  // The last rounds of FNV barely touch the high bits; one more mix spreads neighbours such as 李 and 杏.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d) >>> 0;
  return (hash ^ (hash >>> 12)) >>> 0;
}

interface ScriptShape {
  /** Words are separated by spaces. */
  spaced: boolean;
  /** Of the source, for one syllable. */
  lettersEach: number;
  /** Syllables of a word. */
  most: number;
  words?: readonly string[];
}

function scriptOf(syllable: (hash: number) => string, shape: ScriptShape) {
  const { spaced, lettersEach, most, words = [] } = shape;
  return {
    spaced,
    /** One invented word for a source word of about `letters` letters. */
    word(source: string, letters: number): string {
      const hash = hashText(source);
      // Every third word is a real function word, so that a language detector recognises the target language.
      if (words.length > 0 && letters <= 5 && hash % 3 === 0) return pick(words, hash >>> 3);
      const length = Math.max(1, Math.min(most, Math.round(letters / lettersEach)));
      return Array.from({ length }, (_, i) => syllable(hashText(source, i + 1))).join('');
    },
    /** One syllable for one character of a name, so that short and long forms of a name stay visibly related. */
    syllable: (character: string) => syllable(hashText(character, 7)),
  };
}

function hangulSyllable(hash: number): string {
  const onset = pick([0, 2, 3, 5, 6, 7, 9, 11, 12, 18], hash);
  const vowel = pick([0, 4, 8, 13, 18, 20], hash >>> 5);
  const coda = pick([0, 0, 0, 4, 8, 16, 21], hash >>> 9);
  return String.fromCharCode(0xac00 + (onset * 21 + vowel) * 28 + coda);
}

function pick<T>(list: readonly T[], hash: number): T {
  const value = list[hash % list.length];
  if (value === undefined) throw new Error('cannot choose from an empty list');
  return value;
}

const unspacedScripts = new Set(['Thai', 'Laoo', 'Khmr', 'Mymr']);

const syllables: Readonly<Record<string, typeof inventory.syllables.Latn>> = inventory.syllables;
/** Of scripts without syllables. The Japanese ones are mostly kana: no detector takes a text without kana for Japanese. */
const characters: Readonly<Record<string, string>> = inventory.characters;
/** The commonest short words of a language, which is what language detectors look for first. */
const functionWords: Readonly<Record<string, string>> = inventory.functionWords;
