/** What a partner may say of a series, read strictly. */

import { badRequest } from '../errors.ts';
import { type Language, parseLanguage, supportedLanguages } from '../language/languages.ts';
import { isStorable, parseMetadata } from '../partner-metadata.ts';
import { isOneOf } from '../written-values.ts';

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
  for (const name of sent.keys()) {
    if (!isOneOf(name, seriesFieldNames)) {
      const field = name.slice(0, 64);
      throw badRequest(`There is no parameter "${field}".`, {
        field,
        reason: 'UNKNOWN_FIELD',
        allowed: seriesFieldNames,
      });
    }
  }
  const fields = new Map([...sent].filter(([, value]) => value !== ''));
  const title = fields.get('title');
  if (title === undefined) throw badRequest('title is missing.', { field: 'title', reason: 'MISSING_FIELD' });
  const targetLang = language(fields, 'target_lang');
  if (!targetLang) throw badRequest('target_lang is missing.', { field: 'target_lang', reason: 'MISSING_FIELD' });
  const sourceLang = fields.get('source_lang')?.toLowerCase() === 'auto' ? undefined : language(fields, 'source_lang');
  if (sourceLang?.code === targetLang.code) {
    const message = 'The source and the target language are the same.';
    throw badRequest(message, { field: 'target_lang', reason: 'SAME_LANGUAGE' });
  }
  const style = fields.get('style');
  return {
    title: checkText('title', title, maxTitleCharacters),
    sourceLang,
    targetLang,
    style: style === undefined ? undefined : checkText('style', style, maxStyleCharacters),
    metadata: parseMetadata(fields.get('metadata')),
  };
}

/** One line of text. @throws BAD_REQUEST */
export function checkText(field: 'title' | 'style', text: string, maxCharacters: number): string {
  const line = text.replace(/[\s\u0001-\u001f\u007f-\u009f]+/g, ' ').trim();
  if (line === '' || !isStorable(line, maxCharacters))
    throw badRequest(`${field} has 1 to ${maxCharacters} characters.`, { field, reason: 'BAD_TEXT' });
  return line;
}

function language(fields: ReadonlyMap<string, string>, field: string): Language | undefined {
  const value = fields.get(field);
  if (value === undefined) return undefined;
  const language = parseLanguage(value);
  if (language) return language;
  const details = { field, reason: 'UNSUPPORTED_LANGUAGE', allowed: supportedLanguages };
  throw badRequest(`${field} is not a supported language code.`, details);
}
