/** What translates, in words for the operator: the greeting and `doctor` say the same. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { languageName } from '../language/languages.ts';

export function describeEngines(catalog: Pick<EngineCatalog, 'engines'>): string[] {
  return catalog.engines().map(({ name, capabilities, problem }) => {
    if (problem !== undefined) return `${name} does not work here: ${problem}. Nothing is translated by it.`;
    const { quality, sourceLanguages, targetLanguages } = capabilities;
    const pairs =
      sourceLanguages === undefined && targetLanguages === undefined
        ? 'every language pair'
        : `from ${named(sourceLanguages)} into ${named(targetLanguages)}`;
    if (quality === 'sandbox') return `${name}: marks text instead of translating it, also for live keys`;
    return quality === 'draft'
      ? `${name}: drafts ${pairs}, offline; connect a model for the rest (docs/operating/engines.md)`
      : `${name}: ${pairs}`;
  });
}

function named(languages: readonly string[] | undefined): string {
  if (languages === undefined) return 'every language';
  if (languages.length > 10) return `${languages.length} languages`;
  return languages.map((code) => languageName(code)).join(', ');
}
