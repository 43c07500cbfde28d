/** What is done with the terms that a series is sent, inside the sandbox: plain data in, plain data out. */
import { AppError, badField, badRequest } from '../errors.ts';
import { type GlossaryLimits, parseGlossary } from '../glossary/glossary.ts';
import { readGlossaryCsv } from '../glossary/glossary-csv.ts';
import { readTerm } from '../glossary/read-term.ts';
import type { InterchangeLanguages } from '../interchange/interchange-languages.ts';
import { readTbx } from '../interchange/tbx.ts';
import { type SentTerm, type TermRows, termRows } from '../series/term-rows.ts';
import type { Term } from '../term.ts';
import { parsedJson } from './sent-json.ts';

export interface SentSeriesTerms {
  form: 'json' | 'csv' | 'tbx';
  body: Uint8Array;
  languages: InterchangeLanguages;
  limits: GlossaryLimits;
}

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function readSeriesTerms({ form, body, languages, limits }: SentSeriesTerms): Promise<TermRows> {
  const sent =
    form === 'tbx' ? await readTbx(body, languages) : form === 'csv' ? readGlossaryCsv(textOf(body)) : listed(body);
  const isEntry = (entry: unknown): boolean => typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  if (!Array.isArray(sent) || sent.length === 0 || !sent.every(isEntry)) {
    const message =
      'Send {"terms": [{"source": "…", "target": "…"}]}, CSV with the columns source and target, or a TBX file with terms.';
    throw badField('MISSING_FIELD', message, 'terms');
  }
  return termRows(parseTerms(sent, limits));
}

function listed(body: Uint8Array): unknown {
  const value = parsedJson(body);
  return typeof value === 'object' && value !== null && 'terms' in value ? value.terms : undefined;
}

/** Without the mark that some editors put first. */
function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** Shown with a term, and no part of what is set. */
const shownFields = ['origin', 'first_task_id', 'occurrences', 'confidence'];

/** Entries as they were sent, each with its source, read as a glossary is. What they leave out is left out of the terms too. */
function parseTerms(
  entries: readonly Record<string, unknown>[],
  limits: GlossaryLimits,
): (SentTerm & { origin: 'supplied' })[] {
  const sources = new Set<unknown>();
  for (const { source } of entries) {
    if (typeof source !== 'string' || source.trim() === '')
      throw badField('GLOSSARY_TERM_INVALID', 'A term has no source.', 'terms');
    if (sources.has(source)) {
      const details = { field: 'terms', reason: 'GLOSSARY_DUPLICATE_TERM', key: source.slice(0, 64) };
      throw badRequest('A term is there twice; each source may have one entry.', details);
    }
    sources.add(source);
  }
  const glossary = Object.fromEntries(entries.map(({ source, ...entry }) => [source as string, settable(entry)]));
  try {
    const sent = new Map(
      Object.entries(glossary).map(([source, entry]) => [readTerm(source, entry, limits.maxTermBytes).source, entry]),
    );
    return parseGlossary(glossary, limits).map((term) => withoutLeftOut(term, sent.get(term.source) ?? {}));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { details: { ...error.details, field: 'terms' }, cause: error });
  }
}

function settable(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(([name, value]) => value !== null && !shownFields.includes(name)),
  );
}

function withoutLeftOut(term: Term, entry: Record<string, unknown>): SentTerm & { origin: 'supplied' } {
  const { source, target, confidence, occurrences, caseSensitive } = term;
  return {
    ...{ source, target, confidence, occurrences, origin: 'supplied' },
    ...(entry.type === undefined ? {} : { type: term.type }),
    ...(entry.gender === undefined ? {} : { gender: term.gender }),
    ...(entry.aliases === undefined ? {} : { aliases: term.aliases }),
    ...(entry.note === undefined ? {} : { note: term.note ?? '' }),
    ...(caseSensitive === undefined ? {} : { caseSensitive }),
  };
}
