/**
 * Keeps what engines learn in the database: another process, and this one after a restart, need not find it out again. What was
 * deleted there, by a day's age or by an operator, is forgotten here.
 */
import type { Db } from '../platform/postgres.ts';
import type { LearnedLimits } from './engine.ts';
import { forgetOldLimits, readLearnedLimits, saveLearnedLimits } from './learned-limits-store.ts';

export class SharedLimits {
  readonly #engines: readonly LearnedLimits[];
  /** As they were last written or read, by endpoint. */
  readonly #known = new Map<string, string>();

  constructor(engines: readonly LearnedLimits[]) {
    this.#engines = engines;
  }

  /** Reads what others have learned, then writes what was learned here. */
  async share(db: Db): Promise<void> {
    if (this.#engines.length === 0) return;
    await forgetOldLimits(db);
    const keys = this.#engines.map(({ key }) => key);
    const rows = await readLearnedLimits(db, keys);
    const stored = new Map(rows.map(({ endpoint, learned }) => [endpoint, learned]));
    for (const engine of this.#engines) {
      const lastShared = this.#known.get(engine.key);
      const storedLimits = stored.get(engine.key);
      const isChangedHere = asText(engine.current()) !== lastShared;
      if (storedLimits === undefined && lastShared !== undefined) {
        engine.forget();
        this.#known.delete(engine.key);
      } else if (storedLimits !== undefined && asText(storedLimits) !== lastShared && !isChangedHere) {
        engine.restore(storedLimits);
        this.#known.set(engine.key, asText(storedLimits) ?? '');
      }
      const current = engine.current();
      const text = asText(current);
      if (current === undefined || text === undefined || text === this.#known.get(engine.key)) continue;
      await saveLearnedLimits(db, engine.key, current);
      this.#known.set(engine.key, text);
    }
  }
}

/** The same text for the same content: PostgreSQL orders keys its own way. */
function asText(learned: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (learned === undefined) return undefined;
  return JSON.stringify(Object.entries(learned).sort(([a], [b]) => (a < b ? -1 : 1)));
}
