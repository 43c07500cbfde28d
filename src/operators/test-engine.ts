import { checkEngines, type EngineFinding } from '../engines/check-engines.ts';
import type { EngineSettings } from '../engines/engine-settings.ts';
import { AppError } from '../errors.ts';

/** One real call to one engine, or to all. @throws NOT_FOUND */
export async function testEngines(settings: EngineSettings, name?: string): Promise<EngineFinding[]> {
  const chosen = settings.engines.filter((engine) => name === undefined || engine.name === name);
  if (chosen.length === 0) throw new AppError('NOT_FOUND', `There is no engine "${name}".`);
  return await checkEngines(chosen);
}
