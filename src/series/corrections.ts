/** An editor's paragraphs come back: from now on the series delivers them, whatever its terms or engines say. */
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { correctedMemory, writeCorrections } from './book-corrections.ts';
import type { TakenParagraph } from './match-corrections.ts';
import { correctionsVersion, findMemory, openMemory } from './memory-store.ts';
import { seriesNotFound } from './series.ts';
import { lockTermsVersion } from './term-store.ts';

/** What the paragraphs of a series were when corrections were matched with them. */
export interface MatchedMemory {
  id: number;
  version: number;
}

/** @throws NOT_FOUND */
export async function memoryToMatch(db: Db, owner: Owner & { seriesId: string }): Promise<MatchedMemory> {
  const memory = await findMemory(db, owner);
  if (memory === undefined) throw seriesNotFound();
  return { id: memory.id, version: await correctionsVersion(db, memory.id) };
}

/** False when others have corrected the series since the paragraphs were matched. @throws NOT_FOUND */
export async function saveParagraphs(
  db: Db,
  owner: Owner & { seriesId: string },
  matched: MatchedMemory,
  taken: readonly TakenParagraph[],
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, owner.accountId, owner.seriesId)) === undefined) throw seriesNotFound();
    const memoryId = await openMemory(trx, owner);
    if (memoryId !== matched.id) throw seriesNotFound();
    if ((await correctionsVersion(trx, memoryId)) !== matched.version) return false;
    await writeCorrections(
      trx,
      memoryId,
      taken.map(({ source, target, place }) => correctedMemory(source, target, place)),
    );
    return true;
  });
}
