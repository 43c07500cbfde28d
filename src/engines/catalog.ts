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
import type { EngineConfig, EngineRoute } from './engine-settings.ts';
import { createLlmEngine } from './llm/llm-engine.ts';
import { type Clock, systemClock } from './routing/clock.ts';
import {
  createEngineLane,
  type EngineCall,
  type EngineLane,
  type LaneHooks,
  type LaneStatus,
  LaneUnavailable,
} from './routing/engine-lane.ts';
import { defaultTuning, type RoutingTuning } from './routing/tuning.ts';
import { createSandboxEngine } from './sandbox/sandbox-engine.ts';

/** All engines as one: picks by language pair and order, waits, retries and fails over. */
export interface EngineCatalog {
  /** @throws EngineError when no engine could answer; its `retryAfterMs` says when to come back */
  translate(request: TranslateRequest, call: CallOptions): Promise<TranslateResult & Answered>;
  /** @throws EngineError like `translate` */
  extractTerms(request: ExtractRequest, call: CallOptions): Promise<ExtractResult & Answered>;
  /** Engines that serve a pair, in order: what `engineIndex` counts. */
  engineCount(pair: LanguagePair): number;
  enginesFor(pair: LanguagePair): readonly EngineDescription[];
  status(): LaneStatus[];
}

export interface LanguagePair {
  sourceLang: string;
  targetLang: string;
}

export interface CallOptions {
  /** Turns are shared round robin between accounts, then between an account's tasks. */
  account: string;
  task: string;
  signal: AbortSignal;
  /** Asks this engine of the pair and no other: for a second opinion. */
  engineIndex?: number;
}

export interface Answered {
  engine: EngineDescription;
}

export interface EngineDescription {
  name: string;
  revision: string;
  capabilities: EngineCapabilities;
}

export interface CatalogOptions {
  clock?: Clock;
  random?: () => number;
  hooks?: LaneHooks;
  tuning?: RoutingTuning;
}

export function createEngineCatalog(
  settings: { engines: readonly (EngineConfig | Engine)[]; routes?: readonly EngineRoute[] },
  options: CatalogOptions = {},
): EngineCatalog {
  const { clock = systemClock, random = Math.random, hooks = {}, tuning = defaultTuning } = options;
  const lanes = settings.engines.map((entry) =>
    createEngineLane('translate' in entry ? entry : createEngine(entry), tuning, clock, random, hooks),
  );
  const routes = settings.routes ?? [];

  const lanesFor = (pair: LanguagePair): EngineLane[] => {
    const source = codeOf(pair.sourceLang);
    const target = codeOf(pair.targetLang);
    const route = routes.find((each) => (each.source ?? source) === source && (each.target ?? target) === target);
    const ordered =
      route === undefined ? lanes : route.engines.flatMap((name) => lanes.filter((lane) => lane.engine.name === name));
    return ordered.filter(({ engine: { capabilities } }) => {
      const { sourceLanguages, targetLanguages } = capabilities;
      return (sourceLanguages?.includes(source) ?? true) && (targetLanguages?.includes(target) ?? true);
    });
  };

  const run = async <T extends { usage: EngineUsage }>(
    candidates: EngineLane[],
    call: EngineCall<T>,
    { account, task, signal }: CallOptions,
  ): Promise<T & Answered> => {
    let left = candidates;
    let failure = new EngineError('rejected', 'no engine serves this language pair');
    while (left.length > 0) {
      const lane = pickLane(left, tuning.failoverAfterMs);
      try {
        const others = left.filter((other) => other !== lane);
        const movable = (): boolean => others.some((other) => other.unavailableForMs() <= tuning.failoverAfterMs);
        const result = await lane.run(call, { account, task }, signal, movable);
        return { ...result, engine: describe(lane.engine) };
      } catch (error) {
        // Its turn had not come: the engine stays in the choice, in case the others turn out to be worse.
        if (error instanceof LaneUnavailable) continue;
        if (!(error instanceof EngineError) || error.kind === 'malformed' || error.kind === 'refused') throw error;
        failure = error;
        left = left.filter((other) => other !== lane);
      }
    }
    throw failure;
  };

  const chosen = (pair: LanguagePair, engineIndex: number | undefined): EngineLane[] =>
    engineIndex === undefined ? lanesFor(pair) : lanesFor(pair).slice(engineIndex, engineIndex + 1);

  return {
    translate: (request, call) =>
      run(chosen(request, call.engineIndex), (engine, signal) => engine.translate(request, signal), call),
    extractTerms(request, call) {
      const able = chosen(request, call.engineIndex).filter((lane) => lane.engine.extractTerms !== undefined);
      return run(
        able,
        (engine, signal) =>
          engine.extractTerms?.(request, signal) ??
          Promise.reject(new EngineError('rejected', 'the engine finds no terms')),
        call,
      );
    },
    engineCount: (pair) => lanesFor(pair).length,
    enginesFor: (pair) => lanesFor(pair).map((lane) => describe(lane.engine)),
    status: () => lanes.map((lane) => lane.status()),
  };
}

export function createEngine(config: EngineConfig): Engine {
  return config.kind === 'sandbox' ? createSandboxEngine({ name: config.name }) : createLlmEngine(config);
}

/** The first that can be called soon; when none can, the one that comes back first. */
function pickLane(lanes: readonly EngineLane[], failoverAfterMs: number): EngineLane {
  const [first] = lanes;
  if (first === undefined) throw new Error('no lane to choose from');
  const soon = lanes.find((lane) => lane.unavailableForMs() <= failoverAfterMs);
  return soon ?? lanes.reduce((best, lane) => (lane.unavailableForMs() < best.unavailableForMs() ? lane : best), first);
}

function describe(engine: Engine): EngineDescription {
  return { name: engine.name, revision: engine.revision ?? '', capabilities: engine.capabilities };
}

function codeOf(tag: string): string {
  return parseLanguage(tag)?.code ?? tag;
}
