/** One real call to every engine, for the operator who wants to know now and not from the first book. */
import { parseLanguage } from '../language/languages.ts';
import { createEngine } from './create-engine.ts';
import { EngineError } from './engine.ts';
import type { EngineConfig } from './engine-settings.ts';

export interface EngineFinding {
  engine: string;
  ok: boolean;
  finding: string;
}

const timeoutMs = 60_000;

export async function checkEngines(configs: readonly EngineConfig[]): Promise<EngineFinding[]> {
  return await Promise.all(configs.map(checkEngine));
}

async function checkEngine(config: EngineConfig): Promise<EngineFinding> {
  const engine = await createEngine(config);
  const { source, target } = engine.capabilities.pairs?.[0] ?? {};
  const sourceLang = source === undefined || source.includes('fr') ? 'fr' : (source[0] ?? 'fr');
  const targetLang = target === undefined || target.includes('en') ? 'en' : (target[0] ?? 'en');
  const started = performance.now();
  try {
    const { translations } = await engine.translate(
      {
        sourceLang: parseLanguage(sourceLang)?.code ?? sourceLang,
        targetLang,
        blocks: [{ id: 'b1', text: 'Bonjour.' }],
        terms: [],
        roster: [],
        context: { before: [], after: [] },
      },
      AbortSignal.timeout(timeoutMs),
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (!translations.has('b1'))
      return { engine: config.name, ok: false, finding: 'answers, but gives no translation' };
    return { engine: config.name, ok: true, finding: `answers within ${seconds} s` };
  } catch (error) {
    const finding = error instanceof EngineError ? error.message : `no answer within ${timeoutMs / 1000} s`;
    return { engine: config.name, ok: false, finding };
  } finally {
    engine.close?.();
  }
}
