/** Engines in this process, for tests of the pipeline alone: English in, invented Russian out. */
import type {
  EngineCapabilities,
  ExtractRequest,
  ExtractResult,
  TermHint,
  TranslateRequest,
  TranslateResult,
} from '../../src/engines/engine.ts';
import { tokenizeInline } from '../../src/inline-tags.ts';
import { cast, places, random } from './novel.ts';

export const capabilities: EngineCapabilities = {
  followsInstructions: true,
  keepsInlineTags: true,
  maxInputCharacters: 20_000,
  maxConcurrency: 32,
};

export const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

const latin = 'abcdefghijklmnopqrstuvwxyz';
const cyrillic = 'абкдефгхийклмнопкрстувшчуз';

/** Letter by letter: a name as a careful translator would write it. */
export function transliterate(word: string): string {
  return [...word]
    .map((letter) => {
      const at = latin.indexOf(letter.toLowerCase());
      if (at < 0) return letter;
      const own = cyrillic[at] ?? '';
      return letter === letter.toLowerCase() ? own : own.toUpperCase();
    })
    .join('');
}

const names = new Set([
  ...cast.flatMap(({ first, last }) => [first, last]),
  ...places.flatMap((place) => place.split(' ')),
]);

/** How an engine that was not told writes a name: another way each time. */
export const variantEndings = ['ъиус', 'ъофф', 'ъёнок', 'ъсон'];

/** A deterministic rendering; `vary` decides how names come out that no term fixes. */
export function render(
  text: string,
  terms: readonly TermHint[],
  vary: (name: string) => string = (name) => name,
): string {
  const sorted = terms.toSorted((a, b) => b.source.length - a.source.length);
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? renderText(token.text, sorted, vary) : token.raw))
    .join('');
}

function renderText(text: string, terms: readonly TermHint[], vary: (name: string) => string): string {
  const pattern = terms.map(({ source }) => source.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const split = pattern === '' ? [text] : text.split(new RegExp(`(?<!\\p{L})(${pattern})(?!\\p{L})`, 'u'));
  return split
    .map((part) => {
      const term = terms.find(({ source }) => source === part);
      if (term !== undefined) return term.target;
      return part.replace(/[A-Za-z]+/g, (word) => (names.has(word) ? vary(transliterate(word)) : pseudoWord(word)));
    })
    .join('');
}

function pseudoWord(word: string): string {
  const letters = [...word.toLowerCase()].reverse().join('');
  const turned = transliterate(letters);
  return word[0] === word[0]?.toLowerCase() ? turned : (turned[0]?.toUpperCase() ?? '') + turned.slice(1);
}

/** Renders names at random unless told, and finds names with a wrong vote now and then. */
export function createWilfulEngine(seed: number): {
  translate: (request: TranslateRequest) => Promise<TranslateResult>;
  extractTerms: (request: ExtractRequest) => Promise<ExtractResult>;
} {
  const next = random(seed);
  const vary = (name: string): string => name + (variantEndings[Math.floor(next() * variantEndings.length)] ?? '');
  return {
    async translate(request) {
      // Within one answer it keeps to what it has chosen, as models do.
      const chosen = new Map<string, string>();
      const varyOnce = (name: string): string => {
        const variant = chosen.get(name) ?? vary(name);
        chosen.set(name, variant);
        return variant;
      };
      const translations = new Map(request.blocks.map(({ id, text }) => [id, render(text, request.terms, varyOnce)]));
      return { translations, finish: 'complete', usage: noUsage };
    },
    async extractTerms(request) {
      const people = cast.flatMap(({ first, last, full, gender }) => [
        { source: first, gender },
        { source: last, gender },
        { source: full, gender },
      ]);
      const terms = people
        .filter(({ source }) => request.text.includes(source))
        .map(({ source, gender }) => ({
          source,
          target: source
            .split(' ')
            .map((part) => (next() < 0.2 ? vary(transliterate(part)) : transliterate(part)))
            .join(' '),
          type: 'person' as const,
          gender,
          aliases: [],
        }));
      const found = places
        .filter((place) => request.text.includes(place))
        .map((source) => ({
          source,
          target: source.split(' ').map(transliterate).join(' '),
          type: 'place' as const,
          gender: 'unknown' as const,
          aliases: [],
        }));
      return { terms: [...terms, ...found], digest: 'Кто-то приплыл в гавань.', finish: 'complete', usage: noUsage };
    },
  };
}
