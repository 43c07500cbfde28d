import { baseCode } from './languages.ts';
import measures from './measures.json' with { type: 'json' };

/** What was measured of a language; absent where nobody has. */
interface Measures {
  /**
   * One scene told in every language (`test/language/language-samples.ts`) and counted with o200k_base. Rounded to 5, since tellings
   * of the same scene differ by that much anyway.
   */
  sceneTokens?: number;
  /** With o200k_base on the same scene, rounded to 0.05; Chinese, Korean and Russian on novels too. */
  charactersPerToken?: number;
  /** Characters for what English says in one, on novels. */
  relativeLength?: number;
}

const all: Readonly<Record<string, Measures>> = measures;

export function measuresOf(language: string): Measures {
  return all[language] ?? all[baseCode(language)] ?? {};
}
