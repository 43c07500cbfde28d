import type { Engine } from './engine.ts';
import type { EngineConfig } from './engine-settings.ts';

/** Loads what this engine needs and nothing else: the libraries of all providers together take as long to load as the service itself. */
export async function createEngine(config: EngineConfig): Promise<Engine> {
  switch (config.kind) {
    case 'sandbox':
      return (await import('./sandbox/sandbox-engine.ts')).createSandboxEngine({ name: config.name });
    case 'built-in':
      return (await import('./built-in/built-in-engine.ts')).createBuiltInEngine(config);
    case 'libretranslate':
      return (await import('./services/libretranslate-engine.ts')).createLibreTranslateEngine(config);
    case 'deepl':
      return (await import('./services/deepl-engine.ts')).createDeepLEngine(config);
    default:
      return (await import('./llm/llm-engine.ts')).createLlmEngine(config);
  }
}
