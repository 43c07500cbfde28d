/** Which language pairs are translated at all, for GET /languages and for the create call that asks for another. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { pairsFor, type TranslationQuality } from '../engines/engine.ts';
import { type AppError, badRequest } from '../errors.ts';
import { type Language, languageName, parseLanguage, supportedLanguages } from '../language/languages.ts';
import { actions } from './task.ts';
import type { TaskRequest } from './task-request.ts';

/** Every language of `source` into every language of `target`. */
export interface ServedPairs {
  source: string[];
  target: string[];
  quality: TranslationQuality;
  /** Worse than the engine's other pairs; the operator asked for them. */
  experimental?: true;
}

type PairCatalog = Pick<EngineCatalog, 'enginesFor'>;

/** Engines serve the same pairs for the life of the process, and looking at all of them takes far longer than an answer may. */
const known = new WeakMap<PairCatalog, ServedPairs[]>();

/** Pairs of the same quality are told together: an engine for everything is one entry, not six thousand. */
export function servedPairs(catalog: PairCatalog): ServedPairs[] {
  return known.getOrInsertComputed(catalog, findPairs);
}

function findPairs(catalog: PairCatalog): ServedPairs[] {
  const groups = new Map<string, ServedPairs>();
  for (const target of supportedLanguages) {
    const sources = Map.groupBy(supportedLanguages, (source) => {
      const [first] = catalog.enginesFor({ sourceLang: source, targetLang: target });
      if (first === undefined) return 'none';
      const { experimental } = pairsFor(first.capabilities, source, target) ?? {};
      return `${first.capabilities.quality ?? 'standard'}${experimental === true ? ' experimental' : ''}`;
    });
    for (const [kind, all] of sources) {
      const sources = all.filter((source) => source !== target);
      if (kind === 'none' || sources.length === 0) continue;
      const [quality, experimental] = kind.split(' ') as [TranslationQuality, string | undefined];
      // A language is no pair with itself; leaving it out would split what belongs together.
      const key = `${kind} ${all.join(' ')}`;
      const group = groups.get(key) ?? {
        source: [...all],
        target: [],
        quality,
        ...(experimental === undefined ? {} : { experimental: true as const }),
      };
      group.target.push(target);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/**
 * @param detect reads the source; asked only where no language was declared and some language is not served
 * @throws BAD_REQUEST NO_ENGINE_FOR_PAIR, and what `detect` throws
 */
export async function requireEngine(
  catalog: PairCatalog,
  { action, sourceLang, targetLang, acceptDraft }: TaskRequest,
  detect: () => Promise<string | undefined>,
): Promise<void> {
  if (!actions[action].needsTarget || targetLang === undefined) return;
  const withoutDrafts = !acceptDraft;
  if (sourceLang === undefined && servesAllInto(catalog, targetLang, withoutDrafts)) return;
  const source = sourceLang?.tag ?? (await detect()) ?? 'und';
  // Text in the target language already is not refused: the worker says so and charges nothing.
  if (parseLanguage(source)?.code === targetLang.code) return;
  if (catalog.enginesFor({ sourceLang: source, targetLang: targetLang.tag, withoutDrafts }).length > 0) return;
  throw noEngineForPair(
    { sourceLang: source, targetLang: targetLang.tag, isDetected: sourceLang === undefined },
    acceptedPairs(catalog, acceptDraft),
  );
}

/** Whether it does not matter which language the source is in. */
function servesAllInto(catalog: PairCatalog, { code: targetLang }: Language, withoutDrafts: boolean): boolean {
  return supportedLanguages.every(
    (source) =>
      source === targetLang || catalog.enginesFor({ sourceLang: source, targetLang, withoutDrafts }).length > 0,
  );
}

/** Pairs that a task may get. */
export function acceptedPairs(catalog: PairCatalog, acceptDraft: boolean): ServedPairs[] {
  return servedPairs(catalog).filter(({ quality }) => acceptDraft || quality !== 'draft');
}

export function noEngineForPair(
  { sourceLang, targetLang, isDetected }: { sourceLang: string; targetLang: string; isDetected: boolean },
  pairs: readonly ServedPairs[],
): AppError {
  const from = sourceLang === 'und' ? '' : ` from ${languageName(sourceLang)}`;
  const misread = isDetected ? ' If the text is in another language, send source_lang.' : '';
  const remedy =
    sourceLang === 'und'
      ? 'The text does not show its language: send source_lang.'
      : `Choose a pair of GET /languages, or ask the operator for an engine.${misread}`;
  const message = `This service does not translate${from} into ${languageName(targetLang)}${inWords(pairs)}. ${remedy}`;
  const asked = { source_lang: sourceLang, target_lang: targetLang };
  return badRequest(message, { field: 'target_lang', reason: 'NO_ENGINE_FOR_PAIR', ...asked, pairs });
}

/** What is served instead, for people; of very many pairs only the details tell. */
function inWords(pairs: readonly ServedPairs[]): string {
  if (pairs.length === 0 || pairs.length > mostGroups) return '';
  const named = (codes: readonly string[]): string =>
    codes.length > mostNamed ? `${codes.length} languages` : codes.map((code) => languageName(code)).join(', ');
  return `, but from ${pairs.map(({ source, target }) => `${named(source)} into ${named(target)}`).join('; from ')}`;
}

const mostGroups = 4;
const mostNamed = 8;
