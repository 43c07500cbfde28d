/**
 * A model that has no memory of the book: each call settles anew how people address each other, in what tense it is told and what
 * somebody is called, unless the prompt tells. It looks at the translated text before first, then at what is decided for the book.
 */
import { seeded } from './random.ts';
import type { ReadPrompt } from './read-prompt.ts';

/** Two ways for each choice; the words stand in no other text of these tests. */
export const voices: Readonly<Record<string, Voice>> = {
  de: { address: ['duzt', 'siezt'], tense: ['sprach', 'spricht'], nickname: ['Lieschen', 'Lieserl'] },
  fr: { address: ['tutoie', 'vouvoie'], tense: ['parla', 'parle'], nickname: ['Lisette', 'Lison'] },
};

export interface Voice {
  address: readonly [string, string];
  tense: readonly [string, string];
  nickname: readonly [string, string];
}

/** What every line of an answer ends with; undefined for a language without such choices. */
export function voiceOf(prompt: ReadPrompt, seed: number, fingerprint: string): string | undefined {
  const voice = voices[prompt.targetLang];
  if (voice === undefined) return undefined;
  const words = (['nickname', 'address', 'tense'] as const).map((choice) => {
    const [one, other] = voice[choice];
    const told = lastOf(prompt.translatedBefore, one, other) ?? lastOf(prompt.decided, one, other);
    return told ?? (seeded(seed, choice, fingerprint) < 0.5 ? one : other);
  });
  return `${words.join(' ')}.`;
}

function lastOf(text: string, one: string, other: string): string | undefined {
  const [at, otherAt] = [text.lastIndexOf(one), text.lastIndexOf(other)];
  return at < 0 && otherAt < 0 ? undefined : at > otherAt ? one : other;
}
