import { checkEngines, type EngineFinding } from '../engines/check-engines.ts';
import type { EngineSettings } from '../engines/engine-settings.ts';
import { AppError } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { recordAudit } from './audit-store.ts';

/** One real call to one engine, or to all. It costs money, so who made it is written down. @throws NOT_FOUND */
export async function testEngines(
  db: Db,
  actor: string,
  settings: EngineSettings,
  name?: string,
): Promise<EngineFinding[]> {
  const chosen = settings.engines.filter((engine) => name === undefined || engine.name === name);
  if (chosen.length === 0) throw new AppError('NOT_FOUND', `There is no engine "${name}".`);
  const findings = await checkEngines(chosen);
  await db.transaction().execute(async (trx) => {
    for (const { engine, ok, finding } of findings)
      await recordAudit(trx, { actor, action: 'engine.test', subject: engine, details: { ok, finding } });
  });
  return findings;
}
