/**
 * How long a corrected paragraph may be. Translations into alphabets are up to four times as long as a Chinese source; the rest is
 * room for short lines. Without a bound one paragraph can be made as long as a book, and every later request reads it.
 */
import { type AppError, badRequest } from './errors.ts';
import { stripInlineTags } from './inline-tags.ts';

export const correctionGrowth = 4;
export const correctionRoom = 2_000;

/** In characters without inline tags. */
export function maxCorrectedCharacters(source: string): number {
  return correctionGrowth * characters(source.trim()) + correctionRoom;
}

export function isTooLong(target: string, source: string): boolean {
  // Nearly every paragraph is shorter than the room alone.
  return target.length > correctionRoom && characters(target) > maxCorrectedCharacters(source);
}

/** One such paragraph refuses the whole request: nobody edits like that, so nothing of it is trusted. */
export function tooLong(unit: string, source: string): AppError {
  const limit = maxCorrectedCharacters(source);
  const message = `The correction of ${unit} is longer than ${limit} characters: ${correctionGrowth} times its source and ${correctionRoom}. Nothing was changed.`;
  return badRequest(message, { field: 'target', reason: 'CORRECTION_TOO_LONG', unit, limit_characters: limit });
}

function characters(text: string): number {
  return [...stripInlineTags(text)].length;
}
