/** The engines that are set: what they are, what they serve, and the order in which they are asked. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { EnginePairs } from '../engines/engine.ts';
import type { EngineSettings } from '../engines/engine-settings.ts';
import { languageName } from '../language/languages.ts';

export type EngineListing = ReturnType<typeof listEngines>;

export function listEngines(settings: EngineSettings, catalog: Pick<EngineCatalog, 'engines'>) {
  const kinds = new Map(settings.engines.map((config) => [config.name, config]));
  return {
    engines: catalog.engines().map(({ name, revision, capabilities, problem }) => {
      const config = kinds.get(name);
      return {
        name,
        kind: config?.kind ?? 'sandbox',
        model: config !== undefined && 'model' in config ? String(config.model) : '',
        revision,
        serves: (capabilities.pairs ?? [{}]).map((pairs) => pairsInWords(pairs, 6)).join('; ') || 'nothing',
        maxConcurrency: capabilities.maxConcurrency,
        problem,
      };
    }),
    routes: (settings.routes ?? []).map(({ source, target, engines }) => ({
      source: source === undefined ? 'any language' : languageName(source),
      target: target === undefined ? 'any language' : languageName(target),
      // As the file of engines has them: those of one rank in a list of their own.
      engines: engines.map((rank) => (rank.length === 1 ? (rank[0] ?? '') : [...rank])),
    })),
  };
}

/** Such as `main + second, spare`. */
export function ranksInWords(engines: readonly (string | string[])[]): string {
  return engines.map((rank) => [rank].flat().join(' + ')).join(', ');
}

/** @param most languages beyond that are only counted */
export function pairsInWords({ source, target, experimental }: EnginePairs, most: number): string {
  const named = (languages: readonly string[] | undefined) => {
    if (languages === undefined) return 'every language';
    return languages.length > most
      ? `${languages.length} languages`
      : languages.map((code) => languageName(code)).join(', ');
  };
  return `${named(source)} into ${named(target)}${experimental === true ? ' (experimental)' : ''}`;
}

/** What translates, in words: the greeting and `doctor` say the same. */
export function describeEngines(catalog: Pick<EngineCatalog, 'engines'>): string[] {
  return catalog.engines().map(({ name, capabilities, problem }) => {
    const { quality, pairs } = capabilities;
    if (problem !== undefined && pairs?.length === 0)
      return `${name} does not work here: ${problem}. Nothing is translated by it.`;
    if (quality === 'sandbox') return `${name}: marks text instead of translating it, also for live keys`;
    const served =
      pairs === undefined ? 'every language pair' : pairs.map((each) => `from ${pairsInWords(each, 10)}`).join('; ');
    const missing = problem === undefined ? '' : ` (${problem})`;
    return quality === 'draft'
      ? `${name}: drafts ${served}, offline${missing}; connect a model for the rest (docs/operating/engines.md)`
      : `${name}: ${served}${missing}`;
  });
}
