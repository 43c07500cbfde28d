/** A task in a series: the series has one language pair, and what the task leaves open comes from it. */
import { type Caller, ownerOf } from '../accounts/admit.ts';
import { badRequest } from '../errors.ts';
import { type Language, parseLanguage } from '../language/languages.ts';
import type { Db } from '../platform/postgres.ts';
import { findSeries } from '../series/series-store.ts';
import { readOrderedTerms } from '../series/term-store.ts';
import { requireTarget, requireTwoLanguages, type TaskRequest } from './task-request.ts';

/** A request with what its series has to say to it, as it is when the task is ordered. */
export interface OrderedTask extends TaskRequest {
  /** Terms that people have set in the series; undefined outside of one. */
  orderedTermsJson: string | undefined;
}

/** @throws NOT_FOUND, BAD_REQUEST */
export async function inSeries(db: Db, caller: Caller, request: TaskRequest): Promise<OrderedTask> {
  const { seriesId } = request;
  if (seriesId === undefined) return { ...request, orderedTermsJson: undefined };
  const series = await findSeries(db, ownerOf(caller), seriesId);
  const filled = {
    ...request,
    sourceLang: samePair('source_lang', request.sourceLang, series.sourceLang),
    targetLang: samePair('target_lang', request.targetLang, series.targetLang),
    style: request.style ?? series.style,
    orderedTermsJson: await readOrderedTerms(db, seriesId, request.glossary.json ?? '[]'),
  };
  requireTarget(filled);
  requireTwoLanguages(filled.sourceLang, filled.targetLang);
  return filled;
}

function samePair(field: string, asked: Language | undefined, ofSeries: string | undefined): Language | undefined {
  const seriesLanguage = ofSeries === undefined ? undefined : parseLanguage(ofSeries);
  if (asked === undefined || seriesLanguage === undefined) return asked ?? seriesLanguage;
  if (asked.code !== seriesLanguage.code) {
    throw badRequest(
      `The series is ${field === 'source_lang' ? 'from' : 'into'} ${seriesLanguage.tag}; it has one language pair.`,
      {
        field,
        reason: 'OTHER_LANGUAGE_PAIR',
        allowed: [seriesLanguage.tag],
      },
    );
  }
  return asked;
}
