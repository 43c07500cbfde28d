/** Which language pairs are translated at all, for GET /languages and for the create call that asks for another. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { pairsFor, type TranslationQuality } from '../engines/engine.ts';
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
  /** Worse than the engine's other pairs; the operator asked for them. */
  experimental?: true;
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
      if (first === undefined) return 'none';
      const { experimental } = pairsFor(first.capabilities, source, target) ?? {};
      return `${first.capabilities.quality ?? 'standard'}${experimental === true ? ' experimental' : ''}`;
    });
    for (const [kind, all] of sources) {
      const own = all.filter((source) => source !== target);
      if (kind === 'none' || own.length === 0) continue;
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
  const found = sourceLang?.tag ?? (text === undefined ? undefined : (await detectLanguage(sampleOf(text)))?.code);
  // Text in the target language already is not refused: the worker says so and charges nothing.
  const source = found === undefined || parseLanguage(found)?.code === targetLang.code ? undefined : found;
  const isServed = (sourceTag: string): boolean =>
    catalog.enginesFor({ sourceLang: sourceTag, targetLang: targetLang.tag, withoutDrafts }).length > 0;
  if (source === undefined ? supportedLanguages.some(isServed) : isServed(source)) return;
  throw noEngineForPair(source, targetLang.tag, acceptedPairs(catalog, acceptDraft));
}

/** Enough to tell the language, from all over the text. */
const sample = { stretches: 24, bytes: 3_000 };

/** A character that was cut at an end of a stretch is a replacement character. */
function sampleOf(text: Uint8Array): string {
  if (text.byteLength <= sample.stretches * sample.bytes) return Buffer.from(text).toString();
  const step = Math.floor(text.byteLength / sample.stretches);
  const starts = Array.from({ length: sample.stretches }, (_, i) => i * step);
  return starts.map((start) => Buffer.from(text.subarray(start, start + sample.bytes)).toString()).join('\n');
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

/** Pairs that a task may get. */
export function acceptedPairs(catalog: PairCatalog, acceptDraft: boolean): ServedPairs[] {
  return servedPairs(catalog).filter(({ quality }) => acceptDraft || quality !== 'draft');
}

export function noEngineForPair(
  sourceLang: string | undefined,
  targetLang: string,
  pairs: readonly ServedPairs[],
): AppError {
  const from = sourceLang === undefined || sourceLang === 'und' ? '' : ` from ${languageName(sourceLang)}`;
  return badRequest(`This service does not translate${from} into ${languageName(targetLang)}${inWords(pairs)}.`, {
    field: 'target_lang',
    reason: 'NO_ENGINE_FOR_PAIR',
    ...(sourceLang === undefined ? {} : { source_lang: sourceLang }),
    target_lang: targetLang,
    pairs,
  });
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
