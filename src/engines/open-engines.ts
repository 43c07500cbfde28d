/** Engines from settings: a file that names several, the short form for one, and without either the built-in one. */
import { readFileSync } from 'node:fs';
import type { Metrics } from '../platform/metrics.ts';
import type { Secret } from '../secret.ts';
import { type CatalogOptions, createEngineCatalog, type EngineCatalog } from './catalog.ts';
import { createEngine } from './create-engine.ts';
import { EngineChoiceError, type KeyUse } from './engine-file.ts';
import { type EngineSettings, parseEngines } from './engine-settings.ts';
import type { EndedCall } from './routing/engine-gate.ts';
import type { RoutingTuning } from './routing/tuning.ts';
import { createSandboxCatalog } from './sandbox/sandbox-catalog.ts';

/** The part of the settings that decides which engines there are. */
export interface EngineChoice {
  enginesFile: string | undefined;
  engine: string | undefined;
  engineBaseUrl: string | undefined;
  engineApiKey: Secret | undefined;
  engineModel: string | undefined;
  engineConcurrency: number;
  variable: (name: string) => string | undefined;
}

/** @throws EngineChoiceError */
export async function openEngines(
  choice: EngineChoice,
  metrics: Metrics,
  {
    tuning,
    keys = 'needed',
    onCall = () => {},
  }: { tuning?: RoutingTuning | undefined; keys?: KeyUse; onCall?: (call: EndedCall) => void } = {},
): Promise<EngineCatalog> {
  const settings = engineChoice(choice, keys);
  const hooks = engineHooks(metrics, onCall);
  const [first, ...others] = settings.engines;
  if (first?.kind === 'sandbox' && others.length === 0) return createSandboxCatalog({ name: first.name, hooks });
  try {
    const engines = await Promise.all(settings.engines.map(createEngine));
    return createEngineCatalog({ ...settings, engines }, { hooks, ...(tuning ? { tuning } : {}) });
  } catch (error) {
    throw choiceError(error, choice);
  }
}

/** Engines and routes as they are set. @throws EngineChoiceError */
export function engineChoice(choice: EngineChoice, keys: KeyUse): EngineSettings {
  try {
    return engineSettings(choice, keys);
  } catch (error) {
    throw choiceError(error, choice);
  }
}

function choiceError(error: unknown, choice: EngineChoice): EngineChoiceError {
  const told = error instanceof EngineChoiceError ? error.faults : [(error as Error).message];
  return new EngineChoiceError(
    choice.enginesFile === undefined
      ? told.map((fault) => `TOLEDO_ENGINE=${choice.engine ?? ''}: ${inVariables(fault)}`)
      : told.map((fault) => `TOLEDO_ENGINES (${choice.enginesFile}): ${fault}`),
  );
}

/** The short form has no file to look into: a fault names the variable that mends it. */
function inVariables(fault: string): string {
  return fault
    .replace(/^engines\.0 needs api_key or api_key_env$/, 'TOLEDO_ENGINE_API_KEY is missing')
    .replace(/^engines\.0\.kind/, 'it')
    .replace(/^engines\.0 is of kind (\S+), which has no (.*)$/, (_whole, kind: string, fields: string) => {
      const variables = fields.split(', ').map((field) => `TOLEDO_ENGINE_${field.toUpperCase()}`);
      return `${variables.join(', ')} is set, and ${kind} has no use for it`;
    })
    .replace(/^engines\.0\.(\w+)/, (_whole, field: string) => `TOLEDO_ENGINE_${field.toUpperCase()}`);
}

function engineSettings(choice: EngineChoice, keys: KeyUse): EngineSettings {
  if (choice.enginesFile !== undefined) {
    const named = new Proxy({}, { get: (_target, name) => choice.variable(String(name)), has: () => true });
    return parseEngines(readFileSync(choice.enginesFile, 'utf8'), named, keys);
  }
  const half = halfSet(choice).join(', ');
  if (half !== '')
    throw new EngineChoiceError([`${half} is set without TOLEDO_ENGINE, which says what kind of engine it is for`]);
  const kind = choice.engine ?? 'built-in';
  const local = kind === 'built-in' || kind === 'sandbox';
  // A file of one engine. What is not set is not in its text.
  const entry = {
    name: kind,
    kind,
    base_url: choice.engineBaseUrl,
    api_key: choice.engineApiKey?.reveal(),
    model: choice.engineModel,
    concurrency: local ? undefined : choice.engineConcurrency,
  };
  return parseEngines(JSON.stringify({ engines: [entry] }), {}, keys);
}

/** Settings of an engine that nobody named: the operator who wrote them expects more than the default. */
function halfSet(choice: EngineChoice): string[] {
  if (choice.engine !== undefined) return [];
  const set = {
    TOLEDO_ENGINE_BASE_URL: choice.engineBaseUrl,
    TOLEDO_ENGINE_API_KEY: choice.engineApiKey,
    TOLEDO_ENGINE_MODEL: choice.engineModel,
  };
  return Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

const breakerValues = { closed: 0, probing: 1, open: 2 } as const;

function engineHooks(metrics: Metrics, onCall: (call: EndedCall) => void): NonNullable<CatalogOptions['hooks']> {
  return {
    onCall(call) {
      const { engine, outcome, durationMs, usage, cost } = call;
      onCall(call);
      metrics.engineCalls.inc({ engine, outcome });
      metrics.engineDuration.observe({ engine }, durationMs / 1000);
      if (cost !== undefined) metrics.engineCost.inc({ engine }, Number(cost) / 1e12);
      if (!usage) return;
      metrics.engineTokens.inc({ engine, kind: 'input' }, usage.inputTokens);
      metrics.engineTokens.inc({ engine, kind: 'cached_input' }, usage.cachedInputTokens);
      metrics.engineTokens.inc({ engine, kind: 'output' }, usage.outputTokens);
    },
    onBreaker({ engine, state }) {
      metrics.engineBreaker.set({ engine }, breakerValues[state]);
    },
  };
}
