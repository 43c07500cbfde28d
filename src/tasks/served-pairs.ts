/** Which language pairs are translated at all, for GET /languages and for the create call that asks for another. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { TranslationQuality } from '../engines/engine.ts';
import { type AppError, badRequest } from '../errors.ts';
import { detectLanguage } from '../language/detect-language.ts';
import { type Language, languageName, parseLanguage, supportedLanguages } from '../language/languages.ts';
import { actions } from './task.ts';
import type { TaskRequest } from './task-request.ts';

/** Every language of `source` into every language of `target`. */
export interface ServedPairs {
  source: string[];
  target: string[];
  quality: TranslationQuality;
}

type PairCatalog = Pick<EngineCatalog, 'enginesFor'>;

/** Engines serve the same pairs for the life of the process, and looking at all of them takes far longer than an answer may. */
interface KnownPairs {
  all?: ServedPairs[];
  /** Whether a target is served from every language, by its code and whether drafts count. */
  allInto: Map<string, boolean>;
}
const known = new WeakMap<PairCatalog, KnownPairs>();

function knownOf(catalog: PairCatalog): KnownPairs {
  const pairs = known.get(catalog) ?? { allInto: new Map() };
  known.set(catalog, pairs);
  return pairs;
}

/** Pairs of the same quality are told together: an engine for everything is one entry, not six thousand. */
export function servedPairs(catalog: PairCatalog): ServedPairs[] {
  const pairs = knownOf(catalog);
  pairs.all ??= findPairs(catalog);
  return pairs.all;
}

function findPairs(catalog: PairCatalog): ServedPairs[] {
  const groups = new Map<string, ServedPairs>();
  for (const target of supportedLanguages) {
    const sources = Map.groupBy(supportedLanguages, (source) => {
      const [first] = catalog.enginesFor({ sourceLang: source, targetLang: target });
      return first === undefined ? 'none' : (first.capabilities.quality ?? 'standard');
    });
    for (const [quality, all] of sources) {
      const own = all.filter((source) => source !== target);
      if (quality === 'none' || own.length === 0) continue;
      // A language is no pair with itself; leaving it out would split what belongs together.
      const key = `${quality} ${all.join(' ')}`;
      const group = groups.get(key) ?? { source: [...all], target: [], quality };
      group.target.push(target);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/**
 * A source whose language is to be detected is refused here when it came as text, which costs a millisecond where some
 * language is not served; of a file only the worker learns it, and the task then fails at no charge.
 * @throws BAD_REQUEST NO_ENGINE_FOR_PAIR
 */
export async function requireEngine(
  catalog: PairCatalog,
  { action, sourceLang, targetLang, text, acceptDraft }: TaskRequest,
): Promise<void> {
  if (!actions[action].needsTarget || targetLang === undefined) return;
  const withoutDrafts = !acceptDraft;
  if (sourceLang === undefined && servesAllInto(catalog, targetLang, withoutDrafts)) return;
  const found = sourceLang?.tag ?? (text === undefined ? undefined : (await detectLanguage(text.sample()))?.code);
  // Text in the target language already is not refused: the worker says so and charges nothing.
  const source = found === undefined || parseLanguage(found)?.code === targetLang.code ? undefined : found;
  const isServed = (sourceTag: string): boolean =>
    catalog.enginesFor({ sourceLang: sourceTag, targetLang: targetLang.tag, withoutDrafts }).length > 0;
  if (source === undefined ? supportedLanguages.some(isServed) : isServed(source)) return;
  const pairs = servedPairs(catalog).filter(({ quality }) => acceptDraft || quality !== 'draft');
  throw noEngineForPair(source, targetLang.tag, pairs);
}

/** Whether it does not matter which language the source is in. */
function servesAllInto(catalog: PairCatalog, { code: targetLang }: Language, withoutDrafts: boolean): boolean {
  const { allInto } = knownOf(catalog);
  const key = `${targetLang} ${withoutDrafts}`;
  const found = allInto.get(key);
  if (found !== undefined) return found;
  const servesAll = supportedLanguages.every(
    (source) =>
      source === targetLang || catalog.enginesFor({ sourceLang: source, targetLang, withoutDrafts }).length > 0,
  );
  allInto.set(key, servesAll);
  return servesAll;
}

export function noEngineForPair(
  sourceLang: string | undefined,
  targetLang: string,
  pairs?: readonly ServedPairs[],
): AppError {
  const from = sourceLang === undefined || sourceLang === 'und' ? '' : ` from ${languageName(sourceLang)}`;
  return badRequest(`This service does not translate${from} into ${languageName(targetLang)}.`, {
    field: 'target_lang',
    reason: 'NO_ENGINE_FOR_PAIR',
    ...(sourceLang === undefined ? {} : { source_lang: sourceLang }),
    target_lang: targetLang,
    ...(pairs === undefined ? {} : { pairs }),
  });
}
