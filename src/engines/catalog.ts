import { stripInlineTags } from '../inline-tags.ts';
import { parseLanguage } from '../language/languages.ts';
import {
  type CallNotes,
  type CompareRequest,
  type CompareResult,
  type EditResult,
  type Engine,
  type EngineUsage,
  type ExtractRequest,
  type ExtractResult,
  type LanguagePair,
  type LearnedLimits,
  noUsage,
  pairsFor,
  type SheetRequest,
  type SheetResult,
  type TranslateRequest,
  type TranslateResult,
} from './engine.ts';
import { adapting, EngineError, mayAdapt } from './engine-error.ts';
import type { EngineRoute } from './engine-settings.ts';
import { type Clock, systemClock } from './routing/clock.ts';
import type { EngineBudget } from './routing/engine-budget.ts';
import { createEngineGate, type EngineCall, type EngineGate, type GateHooks } from './routing/engine-gate.ts';
import type { CallSize } from './routing/stragglers.ts';
import { defaultTuning, type RoutingTuning } from './routing/tuning.ts';
import { GateUnavailable, type PlaceInLine } from './routing/waiting-line.ts';
import { statisticalTerms } from './statistical-terms.ts';

export type EngineCatalog = ReturnType<typeof createEngineCatalog>;

interface ServedPair extends LanguagePair {
  /** True: engines that make drafts do not count. */
  withoutDrafts?: boolean;
}

export interface CallOptions {
  /** Turns are shared round robin between accounts, then between an account's tasks. */
  account: string;
  task: string;
  signal: AbortSignal;
  /** Asks this engine of the pair and no other: for a second opinion. */
  engineIndex?: number | undefined;
  withoutDrafts?: boolean;
}

export interface Answered {
  engine: EngineDescription;
}

export type EngineDescription = Pick<Engine, 'name' | 'capabilities' | 'problem'> & { revision: string };

export interface CatalogOptions {
  clock?: Clock;
  random?: () => number;
  hooks?: GateHooks;
  tuning?: RoutingTuning;
}

/** All engines as one: picks by language pair and order, waits, retries and fails over. */
export function createEngineCatalog(
  settings: { engines: readonly Engine[]; routes?: readonly EngineRoute[]; editor?: string | undefined },
  options: CatalogOptions = {},
) {
  const { clock = systemClock, random = Math.random, hooks = {}, tuning = defaultTuning } = options;
  const routes = settings.routes ?? [];
  const isShared = routes.some(({ engines }) => engines.some((rank) => rank.length > 1));
  const gates: readonly EngineGate[] = settings.engines.map((engine) =>
    createEngineGate(engine, tuning, clock, random, hooks, () => isShared && levelQueues(gates)),
  );

  const ranksFor = (pair: ServedPair): EngineGate[][] => {
    const source = codeOf(pair.sourceLang);
    const target = codeOf(pair.targetLang);
    const route = routes.find((each) => (each.source ?? source) === source && (each.target ?? target) === target);
    const ranks =
      route === undefined
        ? gates.map((gate) => [gate])
        : route.engines.map((names) => gates.filter((gate) => names.includes(gate.engine.name)));
    const serves = ({ engine: { capabilities } }: EngineGate): boolean => {
      if (pair.withoutDrafts === true && capabilities.quality === 'draft') return false;
      return pairsFor(capabilities, source, target) !== undefined;
    };
    return ranks.map((rank) => rank.filter(serves)).filter((rank) => rank.length > 0);
  };
  const editorGate = ({ sourceLang, targetLang }: LanguagePair): EngineGate | undefined =>
    gates.find(
      ({ engine: { name, edit, capabilities } }) =>
        name === settings.editor &&
        edit !== undefined &&
        pairsFor(capabilities, codeOf(sourceLang), codeOf(targetLang)) !== undefined,
    );

  /** Asks the engines one after the other until one answers. */
  const run = async <T>(candidates: EngineGate[][], ask: AskGate<T>): Promise<T & Answered> => {
    let left = candidates;
    let failure = new EngineError('rejected', 'no engine serves this language pair');
    while (left.length > 0) {
      const gate = pickGate(left, tuning.failoverAfterMs);
      const rank = left.find((each) => each.includes(gate)) ?? [];
      const others = without(left, gate);
      const place: PlaceInLine = {
        movable: () => others.flat().some((other) => other.unavailableForMs() <= tuning.failoverAfterMs),
        goesTo: (other) => rank.some(({ engine }) => engine === other),
      };
      try {
        return { ...(await ask(gate, place)), engine: describe(gate.engine) };
      } catch (error) {
        // Its turn had not come: the engine stays in the choice, in case the others turn out to be worse.
        if (error instanceof GateUnavailable) continue;
        if (!(error instanceof EngineError)) throw error;
        error.engine = gate.engine.name;
        if (error.isAboutText && error.kind !== 'bad-input') throw error;
        failure = error;
        left = others;
      }
    }
    throw failure;
  };

  /** In as many parts as the engine wants, and once more when it has learned how to ask. */
  const translateOn = async (
    gate: EngineGate,
    request: TranslateRequest,
    options: CallOptions & { onSent(): void },
    place: PlaceInLine,
    adaptations = 0,
  ): Promise<TranslateResult> => {
    const parts = gate.engine.partsOf?.(request) ?? [request];
    if (parts.length > 1)
      return joinAnswers(
        await Promise.allSettled(parts.map((part) => translateOn(gate, part, options, place, adaptations))),
      );
    options.onSent();
    const call: EngineCall<TranslateResult> = (engine, signal, notes) =>
      engine.translate(requestFor(engine, request), signal, notes);
    try {
      return await gate.run(call, sizeOf('translate', request, request.blocks), options, options.signal, place);
    } catch (error) {
      // With a status or within an answer: a refusal is one.
      if (error instanceof EngineError && error.kind === 'refused')
        return { translations: new Map(), finish: 'refused', usage: error.usage ?? noUsage };
      if (!mayAdapt(error, adaptations)) throw error;
      return await translateOn(gate, request, options, place, adaptations + 1);
    }
  };

  /** Asks in one call, and once more each time the engine has learned how to ask. `before` may refuse an engine beforehand. */
  const ask = <R extends LanguagePair, T extends { usage: EngineUsage }>(
    ranks: EngineGate[][],
    size: CallSize,
    [request, options]: [R, CallOptions],
    abilityOf: (engine: Engine) => Ability<R, T> | undefined,
    before: (engine: Engine) => void = () => {},
  ): Promise<T & Answered> => {
    const call: EngineCall<T> = async (engine, signal, notes) => {
      const ability = abilityOf(engine);
      if (ability === undefined) throw new EngineError('rejected', 'the engine has no means to do this');
      return await ability(request, signal, notes);
    };
    return run(ranks, (gate, place) =>
      adapting(async () => {
        before(gate.engine);
        return await gate.run(call, size, options, options.signal, place);
      }),
    );
  };

  const chosen = (pair: LanguagePair, { engineIndex, withoutDrafts }: CallOptions): EngineGate[][] => {
    const able = ranksFor({ ...pair, ...(withoutDrafts === undefined ? {} : { withoutDrafts }) });
    if (engineIndex === undefined) return able;
    const gate = able.flat()[engineIndex];
    return gate === undefined ? [] : [[gate]];
  };

  return {
    /** @throws EngineError when no engine could answer; its `retryAfterMs` says when to come back */
    async translate(request: TranslateRequest, call: CallOptions): Promise<TranslateResult & Answered> {
      let calls = 0;
      const counted = { ...call, onSent: () => (calls += 1) };
      const answer = await run(chosen(request, call), (gate, place) => translateOn(gate, request, counted, place));
      const { quality, keepsInlineTags, blockByBlock, provider = answer.engine.name } = answer.engine.capabilities;
      return {
        ...answer,
        provider,
        calls,
        ...(quality === undefined ? {} : { quality }),
        ...(keepsInlineTags ? {} : { tagsLeftOut: true }),
        ...(blockByBlock === true ? { blockByBlock } : {}),
      };
    },
    /** @throws EngineError like `translate` */
    async extractTerms(request: ExtractRequest, call: CallOptions): Promise<ExtractResult & Answered> {
      const ranks = chosen(request, call);
      const able = thatCan('extractTerms', ranks);
      const [first] = ranks.flat();
      if (able.length === 0 && first !== undefined)
        return { ...statisticalTerms(request), engine: describe(first.engine) };
      return await ask(
        able,
        sizeOf('extract', request, [request]),
        [request, call],
        ({ extractTerms }) => extractTerms,
        (engine) => {
          if (engine.canRead?.(request) === false)
            throw new EngineError('too-long', 'the text is longer than the window of the model');
        },
      );
    },
    /** Without fields when no engine of the pair can write one. @throws EngineError like `translate` */
    async writeSheet(request: SheetRequest, call: CallOptions): Promise<SheetResult> {
      const able = thatCan('writeSheet', chosen(request, call));
      if (able.length === 0) return { fields: undefined, finish: 'complete', usage: noUsage };
      return await ask(able, sizeOf('sheet', request, [request]), [request, call], ({ writeSheet }) => writeSheet);
    },
    /** Asks the editor alone. @throws EngineError like `translate`; also where no editor serves the pair */
    async edit(request: TranslateRequest, call: CallOptions): Promise<EditResult> {
      const gate = editorGate(request);
      const size = sizeOf('edit', request, request.blocks);
      return await ask(gate === undefined ? [] : [[gate]], size, [request, call], ({ edit }) => edit);
    },
    /** Asks one engine which of two translations is better. @throws EngineError like `translate`; also where it cannot judge */
    async compare(request: CompareRequest, call: CallOptions): Promise<CompareResult> {
      const size = sizeOf('compare', request, [{ text: [...request.first, ...request.second].join('\n') }]);
      return await ask(chosen(request, call), size, [request, call], ({ compare }) => compare);
    },
    /** Who edits what the engines of a pair have translated. */
    editorFor(pair: LanguagePair): EngineDescription | undefined {
      const gate = editorGate(pair);
      return gate && describe(gate.engine);
    },
    /** Engines that serve a pair, in order: what `engineIndex` counts. */
    enginesFor: (pair: ServedPair): EngineDescription[] =>
      ranksFor(pair)
        .flat()
        .map(({ engine }) => describe(engine)),
    /** All of them, whatever they serve. */
    engines: (): EngineDescription[] => settings.engines.map(describe),
    status: () => gates.map((gate) => gate.status()),
    /** What engines have found out about their servers, by the name of the engine. */
    learned: (): ReadonlyMap<string, LearnedLimits> =>
      new Map(
        settings.engines.flatMap(({ name, learned }) => (learned === undefined ? [] : [[name, learned] as const])),
      ),
    /** Of engines that may spend only so much in a day, by name. */
    budgets: (): ReadonlyMap<string, EngineBudget> =>
      new Map(
        gates.flatMap(({ engine: { name }, spending }) => (spending === undefined ? [] : [[name, spending] as const])),
      ),
    /** Ends what engines keep running. */
    close() {
      for (const engine of settings.engines) engine.close?.();
    },
  };
}

type Ability<R, T> = (request: R, signal: AbortSignal, notes: CallNotes) => Promise<T>;
type AskGate<T> = (gate: EngineGate, place: PlaceInLine) => Promise<T>;

/** Of these engines, those with the ability. */
function thatCan(ability: 'extractTerms' | 'writeSheet', ranks: EngineGate[][]): EngineGate[][] {
  return ranks
    .map((rank) => rank.filter((gate) => gate.engine[ability] !== undefined))
    .filter((rank) => rank.length > 0);
}

/** The engine that is asked first may keep tags where the one that answers for it would translate them as text. */
function requestFor(engine: Engine, request: TranslateRequest): TranslateRequest {
  if (engine.capabilities.keepsInlineTags) return request;
  return { ...request, blocks: request.blocks.map((block) => ({ ...block, text: stripInlineTags(block.text) })) };
}

function sizeOf(asked: string, pair: LanguagePair, texts: readonly { text: string }[]): CallSize {
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  return { lane: `${asked} ${pair.sourceLang} ${pair.targetLang}`, characters };
}

function describe(engine: Engine): EngineDescription {
  const { name, revision = '', capabilities, problem } = engine;
  return { name, revision, capabilities, ...(problem === undefined ? {} : { problem }) };
}

function codeOf(tag: string): string {
  return parseLanguage(tag)?.code ?? tag;
}

/** Of the first rank that can be called soon, the engine with the most room; when none can, the one that comes back first. */
function pickGate(ranks: readonly EngineGate[][], failoverAfterMs: number): EngineGate {
  for (const rank of ranks) {
    const soon = rank.filter((gate) => gate.unavailableForMs() <= failoverAfterMs);
    const ready = soon.filter((gate) => gate.unavailableForMs() === 0);
    const [best] = (ready.length > 0 ? ready : soon).toSorted((one, other) => other.room() - one.room());
    if (best !== undefined) return best;
  }
  const [first] = ranks.flat().toSorted((one, other) => one.unavailableForMs() - other.unavailableForMs());
  if (first === undefined) throw new Error('no gate to choose from');
  return first;
}

/** An engine with room to spare takes calls that wait for another one of their rank. One more than fits: so its limit is seen to be too low. */
function levelQueues(gates: readonly EngineGate[]): void {
  for (const gate of gates) {
    let wanted = gate.room() > 0 && gate.unavailableForMs() === 0 ? gate.room() + 1 : 0;
    for (const other of gates) {
      while (wanted > 0 && other !== gate && other.handOver(gate.engine)) wanted -= 1;
    }
  }
}

function without(ranks: readonly EngineGate[][], gate: EngineGate): EngineGate[][] {
  return ranks.map((rank) => rank.filter((other) => other !== gate)).filter((rank) => rank.length > 0);
}

/**
 * The answers to the parts of one request as one answer. A part that failed for its text is missing, like a line that a model left
 * out. Any other fault is the fault of the whole.
 * @throws the fault of a part
 */
function joinAnswers(answers: readonly PromiseSettledResult<TranslateResult>[]): TranslateResult {
  const results = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const fatal = faults.find((fault) => !(fault instanceof EngineError && fault.isAboutText));
  if (fatal !== undefined || results.length === 0) throw fatal ?? faults[0];
  const total = (field: keyof typeof noUsage): number => results.reduce((sum, { usage }) => sum + usage[field], 0);
  const finishes = new Set(results.map(({ finish }) => finish));
  return {
    translations: new Map(results.flatMap(({ translations }) => [...translations])),
    finish: finishes.has('refused') ? 'refused' : finishes.has('truncated') ? 'truncated' : 'complete',
    usage: {
      inputTokens: total('inputTokens'),
      outputTokens: total('outputTokens'),
      cachedInputTokens: total('cachedInputTokens'),
    },
  };
}
