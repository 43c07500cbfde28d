/** What a partner may say of a series, read strictly, and the series that is made of it. */

import { badField } from '../errors.ts';
import { type Language, parseLanguage, supportedLanguages } from '../language/languages.ts';
import { isStorable, parseMetadata } from '../partner-metadata.ts';
import { newId } from '../platform/ids.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { isOneOf } from '../written-values.ts';
import type { Series } from './series.ts';
import { insertSeries } from './series-store.ts';

export const seriesFieldNames = ['title', 'target_lang', 'source_lang', 'style', 'metadata'] as const;
export const maxTitleCharacters = 200;
export const maxStyleCharacters = 2_000;

export interface SeriesRequest {
  title: string;
  sourceLang: Language | undefined;
  targetLang: Language;
  style: string | undefined;
  metadata: Record<string, string>;
}

/** @throws BAD_REQUEST naming the field */
export function parseSeriesRequest(sent: ReadonlyMap<string, string>): SeriesRequest {
  const unknown = sent
    .keys()
    .find((name) => !isOneOf(name, seriesFieldNames))
    ?.slice(0, 64);
  if (unknown !== undefined)
    throw badField('UNKNOWN_FIELD', `There is no parameter "${unknown}".`, unknown, seriesFieldNames);
  const fields = new Map([...sent].filter(([, value]) => value !== ''));
  const title = fields.get('title');
  if (title === undefined) throw badField('MISSING_FIELD', 'title is missing.', 'title');
  const targetLang = languageIn(fields, 'target_lang');
  if (!targetLang) throw badField('MISSING_FIELD', 'target_lang is missing.', 'target_lang');
  const sourceLang = languageIn(fields, 'source_lang');
  if (sourceLang?.code === targetLang.code)
    throw badField('SAME_LANGUAGE', 'The source and the target language are the same.', 'target_lang');
  const style = fields.get('style');
  return {
    title: checkText('title', title, maxTitleCharacters),
    sourceLang,
    targetLang,
    style: style === undefined ? undefined : checkText('style', style, maxStyleCharacters),
    metadata: parseMetadata(fields.get('metadata')),
  };
}

export async function createSeries(db: Db, caller: Owner, request: SeriesRequest): Promise<Series> {
  const { title, sourceLang, targetLang, style, metadata } = request;
  const series = { id: newId('ser'), ...caller, title, style, metadata };
  return await db
    .transaction()
    .execute((trx) => insertSeries(trx, { ...series, sourceLang: sourceLang?.tag, targetLang: targetLang.tag }));
}

/** One line of text. @throws BAD_REQUEST */
export function checkText(field: 'title' | 'style', text: string, maxCharacters: number): string {
  const line = text.replace(/[\s\u0001-\u001f\u007f-\u009f]+/g, ' ').trim();
  if (line === '' || !isStorable(line, maxCharacters))
    throw badField('BAD_TEXT', `${field} has 1 to ${maxCharacters} characters.`, field);
  return line;
}

/** Undefined when it is left out, and for a source that is to be detected. @throws BAD_REQUEST */
export function languageIn(
  fields: ReadonlyMap<string, string>,
  field: 'source_lang' | 'target_lang',
): Language | undefined {
  const value = fields.get(field);
  if (value === undefined || (field === 'source_lang' && value.toLowerCase() === 'auto')) return undefined;
  const language = parseLanguage(value);
  if (language) return language;
  throw badField('UNSUPPORTED_LANGUAGE', `${field} is not a supported language code.`, field, supportedLanguages);
}
