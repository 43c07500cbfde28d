/** Passages through one engine, as a task would send them: names, sheet, runs, checks, repairs and editor. No task, no credits, no memory. */
import type { Document } from '../documents/document.ts';
import { type CatalogOptions, createEngineCatalog, type EngineCatalog } from '../engines/catalog.ts';
import { createEngine } from '../engines/create-engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import type { EngineConfig } from '../engines/engine-settings.ts';
import type { EndedCall } from '../engines/routing/engine-gate.ts';
import { defaultTuning } from '../engines/routing/tuning.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { BookTranslationError } from '../translation/book-translation-error.ts';
import type { Checkpoint } from '../translation/checkpoint.ts';
import type { Sheet } from '../translation/sheet.ts';
import { type BookResult, translateBook } from '../translation/translate-book.ts';
import type { EvaluatedEngine } from './evaluation.ts';
import type { Passage } from './passages.ts';
import { decisionsOf, switchesIn } from './switches.ts';

/** Somebody waits at a terminal: an engine that is down is not waited for as long as a task would. */
const patienceMs = 60_000;

/** Whose calls they are. Nobody ends them before their time. */
export const caller = { account: 'evaluation', task: 'evaluation', signal: new AbortController().signal };

export interface PassageTranslation {
  figures: EvaluatedEngine;
  /** Paragraphs by passage; undefined where the engine failed. */
  texts: string[][] | undefined;
}

export interface PassagesToTranslate {
  document: Document;
  passages: readonly Passage[];
  sourceLang: string;
  targetLang: string;
  /** What is decided for the whole book. */
  sheet: Sheet | undefined;
  /** Goes over what is translated, as in tasks. */
  editor: EngineConfig | undefined;
}

export async function translatePassages(config: EngineConfig, order: PassagesToTranslate): Promise<PassageTranslation> {
  const { document, passages, sourceLang, targetLang, sheet } = order;
  const calls: EndedCall[] = [];
  const catalog = await catalogOf(config, { onCall: (call) => void calls.push(call) }, order.editor);
  const begun = performance.now();
  try {
    const [engine] = catalog.enginesFor({ sourceLang, targetLang });
    if (engine === undefined) return failed(config.name, 'it does not serve this pair of languages', calls, begun);
    const { capabilities } = engine;
    const editor = catalog.editorFor({ sourceLang, targetLang });
    const book = await translateBook({
      document: documentOf(document, passages),
      sourceLang,
      targetLang,
      glossary: [],
      strategy: 'merge',
      engines: {
        translate: (request, { signal }) => catalog.translate(request, { ...caller, signal }),
        extractTerms: (request, { signal }) => catalog.extractTerms(request, { ...caller, signal }),
        ...(editor === undefined
          ? {}
          : {
              editor: {
                capabilities: editor.capabilities,
                edit: (request, { signal }) => catalog.edit(request, { ...caller, signal }),
              },
            }),
        capabilities: [capabilities],
        policy: `${engine.name}@${engine.revision}`,
      },
      checkpoint: begunWith(sheet),
      concurrency: capabilities.maxConcurrency,
      // What fails is counted and shown; it is what the operator wants to see.
      maxFailedShare: 1,
    });
    const texts = passages.map(({ blocks }) =>
      blocks.map(({ id, text }) => stripInlineTags(book.texts.get(id) ?? text)),
    );
    return { figures: figuresOf(book, texts, order, spent(config.name, calls, begun)), texts };
  } catch (error) {
    if (!(error instanceof BookTranslationError) && !(error instanceof EngineError)) throw error;
    return failed(config.name, error.message, calls, begun);
  } finally {
    catalog.close();
  }
}

/** One engine alone, or with an editor beside it, with the usual waits and repetitions. */
export async function catalogOf(
  config: EngineConfig,
  hooks: NonNullable<CatalogOptions['hooks']> = {},
  editor?: EngineConfig,
): Promise<EngineCatalog> {
  const configs = editor === undefined || editor.name === config.name ? [config] : [config, editor];
  const engines = await Promise.all(configs.map(createEngine));
  const routes = [{ source: undefined, target: undefined, engines: [[config.name]] }];
  return createEngineCatalog(
    { engines, routes, editor: editor?.name },
    { hooks, tuning: { ...defaultTuning, patienceMs } },
  );
}

/** Every passage is a chapter. */
function documentOf(document: Document, passages: readonly Passage[]): Document {
  const characters = passages.reduce((sum, passage) => sum + passage.characters, 0);
  const sections = passages.map(({ blocks }) => ({ title: undefined, blocks }));
  return { ...document, sections, characters, totalCharacters: characters };
}

/** A run that ends is begun anew. The sheet is there, as after a restart: no engine writes one of its own. */
function begunWith(sheet: Sheet | undefined): Checkpoint {
  return { load: async () => [{ kind: 'sheet', key: 'sheet', sheet: sheet ?? null }], save: async () => {} };
}

function figuresOf(
  { report, texts: all }: BookResult,
  texts: readonly string[][],
  { passages, targetLang, sheet }: PassagesToTranslate,
  spending: EvaluatedEngine,
): EvaluatedEngine {
  const failedIn = new Set(
    report.coverage.locations.filter(({ reason }) => reason !== 'no_letters').map(({ block_id }) => block_id),
  );
  const flaggedIn = new Set(report.warnings.flatMap(({ block_ids }) => block_ids).filter((id) => !failedIn.has(id)));
  const translated = passages.map(({ kind, blocks }, at) => ({
    kind,
    source: blocks.map(({ text }) => stripInlineTags(text)),
    texts: texts[at] ?? [],
  }));
  const { editing = null } = report;
  return {
    ...spending,
    quality: report.quality,
    paragraphs: all.size,
    failed_paragraphs: failedIn.size,
    flagged_paragraphs: flaggedIn.size,
    term_consistency: report.consistency.score,
    ...switchesIn(translated, decisionsOf(sheet, targetLang), targetLang),
    editing: editing && { offered: editing.offered, taken: editing.taken, dropped: editing.dropped },
  };
}

function failed(engine: string, failure: string, calls: readonly EndedCall[], begun: number): PassageTranslation {
  return { figures: { ...spent(engine, calls, begun), failure }, texts: undefined };
}

/** Time, calls and money; the rest is empty. */
function spent(engine: string, calls: readonly EndedCall[], begun: number): EvaluatedEngine {
  const costs = calls.flatMap(({ cost }) => cost ?? []);
  const sum = (of: 'inputTokens' | 'cachedInputTokens' | 'outputTokens'): number =>
    calls.reduce((all, { usage }) => all + (usage?.[of] ?? 0), 0);
  return {
    engine,
    failure: null,
    quality: null,
    seconds: Math.round(performance.now() - begun) / 1000,
    calls: calls.length,
    failed_calls: calls.filter(({ outcome }) => outcome !== 'ok').length,
    input_tokens: sum('inputTokens'),
    cached_input_tokens: sum('cachedInputTokens'),
    output_tokens: sum('outputTokens'),
    cost: costs.length === 0 ? null : Number(costs.reduce((all, cost) => all + cost, 0n)) / 1e12,
    paragraphs: 0,
    failed_paragraphs: 0,
    flagged_paragraphs: 0,
    term_consistency: 0,
    address_switches: 0,
    tense_switches: 0,
    bleu: null,
    chrf: null,
    wins: null,
    losses: null,
    ties: null,
  };
}
