/** Countries, continents and a few famous places that have a name of their own in each language: Italie is Italy. */
import { baseCode } from './languages.ts';
import placeNames from './place-names.json' with { type: 'json' };

/** The name in the target language; undefined when nothing is known of the place. */
export function placeNameIn(name: string, sourceLang: string, targetLang: string): string | undefined {
  const [source, target] = [baseCode(sourceLang), baseCode(targetLang)];
  const famous =
    target === 'en'
      ? Object.entries(famousPlaces[source] ?? {}).find(([own]) => own === name)?.[1]
      : source === 'en'
        ? Object.entries(famousPlaces[target] ?? {}).findLast(([, english]) => english === name)?.[0]
        : undefined;
  if (famous !== undefined) return famous;
  const code = countriesOf(source).get(name);
  return code === undefined ? undefined : new Intl.DisplayNames(target, { type: 'region' }).of(code);
}

const cache = new Map<string, ReadonlyMap<string, string>>();

/** Codes by name, as the runtime's own tables have them. */
function countriesOf(language: string): ReadonlyMap<string, string> {
  return cache.getOrInsertComputed(language, () => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const countries = new Map<string, string>();
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = names.of(code);
      // Codes that were replaced (DD, SU) name the same country again.
      if (name !== undefined) countries.getOrInsert(name, code);
    }
    return countries;
  });
}

/** By language, with their English names. */
const famousPlaces: Readonly<Record<string, Readonly<Record<string, string>>>> = placeNames;
