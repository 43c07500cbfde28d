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
    const known = catalogs.get(scenario);
    if (known) return known;
    const made = createEngineCatalog({ engines: [createSandboxEngine(name === undefined ? {} : { name })] }, options);
    catalogs.set(scenario, made);
    return made;
  };
  catalogFor('');
  return {
    translate: (request, call) => catalogFor(request.targetLang).translate(request, call),
    extractTerms: (request, call) => catalogFor(request.targetLang).extractTerms(request, call),
    writeSheet: (request, call) => catalogFor(request.targetLang).writeSheet(request, call),
    edit: (request, call) => catalogFor(request.targetLang).edit(request, call),
    compare: (request, call) => catalogFor(request.targetLang).compare(request, call),
    editorFor: () => undefined,
    enginesFor: (pair) => catalogFor(pair.targetLang).enginesFor(pair),
    engines: () => catalogFor('').engines(),
    learned: () => new Map(),
    budgets: () => new Map(),
    close: () => {},
    status: () => [...catalogs.values()].flatMap((catalog) => catalog.status()),
  };
}
