/** A series: a story that goes on, with its terms and its memory of paragraphs. */

import { AppError } from '../errors.ts';
import { wireFields } from '../wire-fields.ts';

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

export function seriesView(series: Series, counts?: SeriesCounts) {
  return {
    series_id: series.id,
    ...wireFields(series, 'title', 'sourceLang', 'targetLang', 'style', 'metadata', 'createdAt'),
    ...(counts && { counts: wireFields(counts, 'tasks', 'terms', 'rememberedParagraphs', 'rememberedCharacters') }),
    ...(series.sandbox ? { livemode: false as const } : {}),
  };
}

export function isSeriesId(id: string): boolean {
  return /^ser_[0-9a-z]{26}$/.test(id);
}

/** One answer for a series that never was, that is gone, and that is another partner's. */
export function seriesNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such series.');
}
