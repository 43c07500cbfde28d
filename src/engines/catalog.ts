import { stripInlineTags } from '../inline-tags.ts';
import { parseLanguage } from '../language/languages.ts';
import {
  type Engine,
  type EngineCapabilities,
  EngineError,
  type EngineUsage,
  type ExtractRequest,
  type ExtractResult,
  type TranslateRequest,
  type TranslateResult,
} from './engine.ts';
import type { EngineRoute } from './engine-settings.ts';
import type { CallSize } from './routing/call-durations.ts';
import { type Clock, systemClock } from './routing/clock.ts';
import {
  createEngineGate,
  type EngineCall,
  type EngineGate,
  type GateHooks,
  type GateStatus,
  GateUnavailable,
} from './routing/engine-gate.ts';
import { defaultTuning, type RoutingTuning } from './routing/tuning.ts';
import { statisticalTerms } from './statistical-terms.ts';

/** All engines as one: picks by language pair and order, waits, retries and fails over. */
export interface EngineCatalog {
  /** @throws EngineError when no engine could answer; its `retryAfterMs` says when to come back */
  translate(request: TranslateRequest, call: CallOptions): Promise<TranslateResult & Answered>;
  /** @throws EngineError like `translate` */
  extractTerms(request: ExtractRequest, call: CallOptions): Promise<ExtractResult & Answered>;
  /** Engines that serve a pair, in order: what `engineIndex` counts. */
  engineCount(pair: LanguagePair): number;
  enginesFor(pair: LanguagePair): readonly EngineDescription[];
  /** All of them, whatever they serve. */
  engines(): readonly EngineDescription[];
  status(): GateStatus[];
  /** Ends what engines keep running. */
  close(): void;
}

export interface LanguagePair {
  sourceLang: string;
  targetLang: string;
  /** True: engines that make drafts do not count. */
  withoutDrafts?: boolean;
}

export interface CallOptions {
  /** Turns are shared round robin between accounts, then between an account's tasks. */
  account: string;
  task: string;
  signal: AbortSignal;
  /** Asks this engine of the pair and no other: for a second opinion. */
  engineIndex?: number;
  withoutDrafts?: boolean;
}

export interface Answered {
  engine: EngineDescription;
}

export interface EngineDescription {
  name: string;
  revision: string;
  capabilities: EngineCapabilities;
  problem?: string;
}

export interface CatalogOptions {
  clock?: Clock;
  random?: () => number;
  hooks?: GateHooks;
  tuning?: RoutingTuning;
}

export function createEngineCatalog(
  settings: { engines: readonly Engine[]; routes?: readonly EngineRoute[] },
  options: CatalogOptions = {},
): EngineCatalog {
  const { clock = systemClock, random = Math.random, hooks = {}, tuning = defaultTuning } = options;
  const gates = settings.engines.map((engine) => createEngineGate(engine, tuning, clock, random, hooks));
  const routes = settings.routes ?? [];

  const gatesFor = (pair: LanguagePair): EngineGate[] => {
    const source = codeOf(pair.sourceLang);
    const target = codeOf(pair.targetLang);
    const route = routes.find((each) => (each.source ?? source) === source && (each.target ?? target) === target);
    const ordered =
      route === undefined ? gates : route.engines.flatMap((name) => gates.filter((gate) => gate.engine.name === name));
    return ordered.filter(({ engine: { capabilities } }) => {
      const { sourceLanguages, targetLanguages, quality } = capabilities;
      if (pair.withoutDrafts === true && quality === 'draft') return false;
      return (sourceLanguages?.includes(source) ?? true) && (targetLanguages?.includes(target) ?? true);
    });
  };

  const run = async <T extends { usage: EngineUsage }>(
    candidates: EngineGate[],
    call: EngineCall<T>,
    size: CallSize,
    { account, task, signal }: CallOptions,
  ): Promise<T & Answered> => {
    let left = candidates;
    let failure = new EngineError('rejected', 'no engine serves this language pair');
    while (left.length > 0) {
      const gate = pickGate(left, tuning.failoverAfterMs);
      try {
        const others = left.filter((other) => other !== gate);
        const movable = (): boolean => others.some((other) => other.unavailableForMs() <= tuning.failoverAfterMs);
        const result = await gate.run(call, size, { account, task }, signal, movable);
        return { ...result, engine: describe(gate.engine) };
      } catch (error) {
        // Its turn had not come: the engine stays in the choice, in case the others turn out to be worse.
        if (error instanceof GateUnavailable) continue;
        if (!(error instanceof EngineError)) throw error;
        error.engine = gate.engine.name;
        if (error.kind === 'malformed' || error.kind === 'refused') throw error;
        failure = error;
        left = left.filter((other) => other !== gate);
      }
    }
    throw failure;
  };

  const chosen = (pair: LanguagePair, { engineIndex, withoutDrafts }: CallOptions): EngineGate[] => {
    const able = gatesFor({ ...pair, ...(withoutDrafts === undefined ? {} : { withoutDrafts }) });
    return engineIndex === undefined ? able : able.slice(engineIndex, engineIndex + 1);
  };

  return {
    async translate(request, call) {
      const answer = await run(
        chosen(request, call),
        (engine, signal) => engine.translate(requestFor(engine, request), signal),
        sizeOf('translate', request, request.blocks),
        call,
      );
      const { quality, keepsInlineTags } = answer.engine.capabilities;
      return {
        ...answer,
        ...(quality === undefined ? {} : { quality }),
        ...(keepsInlineTags ? {} : { tagsLeftOut: true }),
      };
    },
    async extractTerms(request, call) {
      const gatesOfPair = chosen(request, call);
      const able = gatesOfPair.filter((gate) => gate.engine.extractTerms !== undefined);
      const [first] = gatesOfPair;
      if (able.length === 0 && first !== undefined)
        return { ...statisticalTerms(request), engine: describe(first.engine) };
      return await run(
        able,
        (engine, signal) =>
          engine.extractTerms?.(request, signal) ??
          Promise.reject(new EngineError('rejected', 'the engine finds no terms')),
        sizeOf('extract', request, [request]),
        call,
      );
    },
    engineCount: (pair) => gatesFor(pair).length,
    enginesFor: (pair) => gatesFor(pair).map((gate) => describe(gate.engine)),
    engines: () => gates.map((gate) => describe(gate.engine)),
    status: () => gates.map((gate) => gate.status()),
    close() {
      for (const { engine } of gates) engine.close?.();
    },
  };
}

/** The engine that is asked first may keep tags where the one that answers for it would translate them as text. */
function requestFor(engine: Engine, request: TranslateRequest): TranslateRequest {
  if (engine.capabilities.keepsInlineTags) return request;
  return { ...request, blocks: request.blocks.map(({ id, text }) => ({ id, text: stripInlineTags(text) })) };
}

function sizeOf(asked: string, pair: LanguagePair, texts: readonly { text: string }[]): CallSize {
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  return { lane: `${asked} ${pair.sourceLang} ${pair.targetLang}`, characters };
}

/** The first that can be called soon; when none can, the one that comes back first. */
function pickGate(gates: readonly EngineGate[], failoverAfterMs: number): EngineGate {
  const [first] = gates;
  if (first === undefined) throw new Error('no gate to choose from');
  const soon = gates.find((gate) => gate.unavailableForMs() <= failoverAfterMs);
  return soon ?? gates.reduce((best, gate) => (gate.unavailableForMs() < best.unavailableForMs() ? gate : best), first);
}

function describe(engine: Engine): EngineDescription {
  const { name, revision = '', capabilities, problem } = engine;
  return { name, revision, capabilities, ...(problem === undefined ? {} : { problem }) };
}

function codeOf(tag: string): string {
  return parseLanguage(tag)?.code ?? tag;
}
