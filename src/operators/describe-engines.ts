/** What translates, in words for the operator: the greeting and `doctor` say the same. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { pairsInWords } from './engine-listing.ts';

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
