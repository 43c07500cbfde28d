/** Corrections of a series, from a list or an edited file. */
import { AppError } from '../errors.ts';
import type { CorrectedName } from '../series/corrected-names.ts';
import { memoryToMatch, saveParagraphs } from '../series/corrections.ts';
import type { SeriesCounts, TakenParagraph } from '../series/match-corrections.ts';
import { findBlocks } from '../series/memory-store.ts';
import type { CorrectionDependencies } from './correct-task.ts';
import type { SentCorrections } from './correction-jobs.ts';
import type { Asking } from './correction-reader.ts';
import { learnNames, type SeriesOwner } from './learn-corrections.ts';

export interface SeriesCorrection {
  sent: SentCorrections;
  /** A paragraph that somebody else has corrected too is corrected all the same. */
  replaces: boolean;
}

/** So often others may correct the same series while corrections are matched with it. */
const matchTries = 5;
/** A line that stands in more places is corrected in those, or everywhere. */
const placesPerText = 2_000;

/**
 * Returns what became of them, with the names that are terms now.
 * @throws BAD_REQUEST, NOT_FOUND, PAYLOAD_TOO_LARGE, STORAGE_QUOTA, UNAVAILABLE
 */
export async function correctSeries(
  deps: CorrectionDependencies,
  owner: SeriesOwner,
  language: string,
  correction: SeriesCorrection,
  asking: Asking,
): Promise<SeriesCounts & { terms: CorrectedName[] }> {
  return await deps.corrections.inTurn(asking, async () => {
    for (let tries = 0; tries < matchTries; tries++) {
      const memory = await memoryToMatch(deps.db, owner);
      const taken: TakenParagraph[] = [];
      const host = {
        find: (texts: readonly string[]) => findBlocks(deps.db, owner.accountId, memory.id, texts, placesPerText),
        take: async (part: readonly TakenParagraph[]) => void taken.push(...part),
      };
      const about = { ...asking, sentBytes: correction.sent.body.byteLength };
      const counts = await deps.corrections.run('matchSeriesCorrections', correction, { host }, about);
      const bytes = taken.reduce((sum, { target }) => sum + Buffer.byteLength(target), 0);
      await deps.quota.claim(owner.accountId, bytes);
      if (await saveParagraphs(deps.db, owner, memory, taken)) {
        return { ...counts, terms: await learnNames(deps, owner, taken, language, asking) };
      }
    }
    throw new AppError('UNAVAILABLE', 'Others are correcting this series just now.', { retryAfterSeconds: 2 });
  });
}
