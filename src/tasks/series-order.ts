/** An order in a series, of which only the part that the series does not remember is charged. */
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import type { SourceRange } from './source-files.ts';
import type { Ordered, Task } from './task.ts';

/** Whose memory is asked, and what decides whether its blocks cost anything. */
export type RememberingTask = Pick<Task, 'accountId' | 'sandbox' | 'seriesId' | 'charLimit' | 'creditPreviews'>;

export interface SeriesOrder {
  owner: RememberingTask;
  range: SourceRange;
  source: { key: string; text?: Uint8Array };
  /** Everything but the text that decides what of it is remembered. */
  order: Pick<Ordered, 'style' | 'context' | 'acceptDraft'> & {
    /** Undefined = detected. */
    sourceLang: string | undefined;
    targetLang: string;
    orderedTermsJson: string;
    /** Of the task's own terms. */
    glossaryJson: string;
    strategy: GlossaryStrategy;
  };
}

export interface SeriesCount {
  characters: number;
  rememberedCharacters: number;
}

export interface SeriesCounter {
  /** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  count(order: SeriesOrder): Promise<SeriesCount>;
}
