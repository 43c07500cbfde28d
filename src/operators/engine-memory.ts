/** What the service has learned about the servers of its engines, as an operator sees it and makes it forget. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { forgetLearnedLimits, readLearnedLimits } from '../engines/learned-limits-store.ts';
import { AppError } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { recordAudit } from './audit-store.ts';

export interface EngineMemory {
  engine: string;
  /** One line each. */
  words: string[];
  /** All of it is forgotten a day later. */
  learnedAt: Date;
}

/** @returns engines of which something is remembered */
export async function readEngineMemories(db: Db, catalog: Pick<EngineCatalog, 'learned'>): Promise<EngineMemory[]> {
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
