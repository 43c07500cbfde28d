/** A series: a story that goes on, with its terms and its memory of paragraphs. */
import { AppError } from '../errors.ts';

export interface Series {
  id: string;
  accountId: string;
  /** Of a test key. */
  sandbox: boolean;
  title: string;
  /** Undefined = detected for every volume. */
  sourceLang: string | undefined;
  targetLang: string;
  style: string | undefined;
  metadata: Record<string, string>;
  createdAt: Date;
}

export interface SeriesCounts {
  tasks: number;
  terms: number;
  rememberedParagraphs: number;
  rememberedCharacters: number;
}

export interface SeriesView {
  series_id: string;
  title: string;
  source_lang: string | null;
  target_lang: string;
  style: string | null;
  metadata: Record<string, string>;
  created_at: string;
  counts?: { tasks: number; terms: number; remembered_paragraphs: number; remembered_characters: number };
  livemode?: false;
}

export function seriesView(series: Series, counts?: SeriesCounts): SeriesView {
  return {
    series_id: series.id,
    title: series.title,
    source_lang: series.sourceLang ?? null,
    target_lang: series.targetLang,
    style: series.style ?? null,
    metadata: series.metadata,
    created_at: series.createdAt.toISOString(),
    ...(counts && {
      counts: {
        tasks: counts.tasks,
        terms: counts.terms,
        remembered_paragraphs: counts.rememberedParagraphs,
        remembered_characters: counts.rememberedCharacters,
      },
    }),
    ...(series.sandbox ? { livemode: false } : {}),
  };
}

export function isSeriesId(id: string): boolean {
  return /^ser_[0-9a-z]{26}$/.test(id);
}

/** One answer for a series that never was, that is gone, and that is another partner's. */
export function seriesNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such series.');
}
