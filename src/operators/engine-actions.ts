/** What an operator asks of engines: to answer once, what was learned about their servers, and to forget it. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { checkEngines, type EngineFinding } from '../engines/check-engines.ts';
import type { EngineSettings } from '../engines/engine-settings.ts';
import { forgetLearnedLimits, readLearnedLimits } from '../engines/learned-limits-store.ts';
import { AppError } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { recordAudit } from './audit-store.ts';

export type EngineMemory = Awaited<ReturnType<typeof readEngineMemories>>[number];

/** Engines of which something is remembered: words of a line each, all of it forgotten a day after `learnedAt`. */
export async function readEngineMemories(db: Db, catalog: Pick<EngineCatalog, 'learned'>) {
  const engines = [...catalog.learned()];
  const stored = await readLearnedLimits(
    db,
    engines.map(([, { key }]) => key),
  );
  return engines.flatMap(([engine, learned]) => {
    const row = stored.find(({ endpoint }) => endpoint === learned.key);
    const words = row === undefined ? [] : learned.inWords(row.learned);
    return row === undefined || words.length === 0 ? [] : [{ engine, words, learnedAt: row.learnedAt }];
  });
}

/** Workers forget it within seconds, and find out anew. @returns false when there was nothing. @throws NOT_FOUND */
export async function forgetEngineMemory(
  db: Db,
  actor: string,
  catalog: Pick<EngineCatalog, 'learned' | 'engines'>,
  name: string,
): Promise<boolean> {
  if (!catalog.engines().some((engine) => engine.name === name))
    throw new AppError('NOT_FOUND', `There is no engine "${name}".`);
  const key = catalog.learned().get(name)?.key;
  return await db.transaction().execute(async (trx) => {
    const hadSome = key !== undefined && (await forgetLearnedLimits(trx, [key]));
    await recordAudit(trx, { actor, action: 'engine.forget', subject: name, details: { hadSome } });
    return hadSome;
  });
}

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
