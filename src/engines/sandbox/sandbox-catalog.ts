import { type CatalogOptions, createEngineCatalog, type EngineCatalog } from '../catalog.ts';
import { createSandboxEngine } from './sandbox-engine.ts';
import { scenarioOf } from './sandbox-scenarios.ts';

/**
 * The sandbox engine behind a line of its own for every scenario. On one line, a partner who tries `en-x-outage` would
 * open the circuit breaker for everybody's ordinary sandbox tasks. After one such task they waited for a minute.
 */
export function createSandboxCatalog({ name, ...options }: CatalogOptions & { name?: string } = {}): EngineCatalog {
  const catalogs = new Map<string, EngineCatalog>();
  const catalogFor = (targetLang: string): EngineCatalog => {
    const scenario = scenarioOf(targetLang) ?? '';
    return catalogs.getOrInsertComputed(scenario, () =>
      createEngineCatalog({ engines: [createSandboxEngine({ name })] }, options),
    );
  };
  return {
    ...catalogFor(''),
    translate: (request, call) => catalogFor(request.targetLang).translate(request, call),
    extractTerms: (request, call) => catalogFor(request.targetLang).extractTerms(request, call),
    status: () => [...catalogs.values()].flatMap((catalog) => catalog.status()),
  };
}
