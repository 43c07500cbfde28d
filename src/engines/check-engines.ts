/** One real call to every engine, for the operator who wants to know now and not from the first book. */
import { parseLanguage } from '../language/languages.ts';
import { createEngine } from './create-engine.ts';
import { type Engine, type EngineUsage, noUsage } from './engine.ts';
import { adapting, EngineError } from './engine-error.ts';
import type { EngineConfig } from './engine-settings.ts';

export interface EngineFinding {
  engine: string;
  ok: boolean;
  finding: string;
}

/** What came of one call, in words and in figures. */
export interface EngineAnswer extends Omit<EngineFinding, 'engine'> {
  seconds: number;
  usage: EngineUsage;
}

const timeoutMs = 60_000;

export async function checkEngines(configs: readonly EngineConfig[]): Promise<EngineFinding[]> {
  return await Promise.all(configs.map(checkEngine));
}

async function checkEngine(config: EngineConfig): Promise<EngineFinding> {
  const engine = await createEngine(config);
  try {
    const { ok, finding } = await askOnce(engine, config, 'Bonjour.');
    return { engine: config.name, ok, finding };
  } finally {
    engine.close?.();
  }
}

/** Has a French text translated, or a text of another language where the engine does not serve French. */
export async function askOnce(engine: Engine, config: EngineConfig, text: string): Promise<EngineAnswer> {
  const { source, target } = engine.capabilities.pairs?.[0] ?? {};
  const sourceLang = source === undefined || source.includes('fr') ? 'fr' : (source[0] ?? 'fr');
  const targetLang = target === undefined || target.includes('en') ? 'en' : (target[0] ?? 'en');
  const request = {
    sourceLang: parseLanguage(sourceLang)?.code ?? sourceLang,
    targetLang,
    blocks: [{ id: 'b1', text }],
    terms: [],
    roster: [],
    context: { before: [], after: [] },
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await adapting(async () => {
      const started = performance.now();
      const { translations, usage } = await engine.translate(request, signal);
      const seconds = (performance.now() - started) / 1000;
      const ok = translations.has('b1');
      const finding = ok ? `answers within ${seconds.toFixed(1)} s` : 'answers, but gives no translation';
      return { ok, finding, seconds, usage };
    });
  } catch (error) {
    const said = error instanceof EngineError ? error.message : `no answer within ${timeoutMs / 1000} s`;
    return { ok: false, finding: `${said}${placeOf(config)}`, seconds: 0, usage: noUsage };
  }
}

/** Where it was asked, for the operator who has mistyped it; never a user or a key that stands in the address. */
function placeOf(config: EngineConfig): string {
  const address = 'baseUrl' in config ? config.baseUrl : undefined;
  if (address === undefined) return '';
  const { origin, pathname } = new URL(address);
  return ` (asked at ${origin}${pathname})`;
}
