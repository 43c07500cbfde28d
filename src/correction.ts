/** What every correction of a paragraph obeys, of a task or of a series, from a file, a list or the reader. */
import { hash } from 'node:crypto';
import { type AppError, badRequest } from './errors.ts';
import { keepsInlineTags, stripInlineTags } from './inline-tags.ts';

/** Translations into alphabets are up to four times as long as a Chinese source; the rest is room for short lines. */
const correctionGrowth = 4;
const correctionRoom = 2_000;

/** Without a bound one paragraph can be made as long as a book, and every later request reads it. */
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

function maxCorrectedCharacters(source: string): number {
  return correctionGrowth * characters(source.trim()) + correctionRoom;
}

/** Without inline tags. */
function characters(text: string): number {
  return [...stripInlineTags(text)].length;
}

/** Travels with every exported unit: it tells a unit that nobody edited from one that somebody did. */
export function exportedHash(target: string): string {
  return hash('sha256', target.normalize('NFC')).slice(0, 16);
}

/** A paragraph as it comes back. */
export interface ReturnedText {
  target: string;
  /** The hash of what was exported, where the tool has kept it. */
  exported?: string | undefined;
}

/** One paragraph as it came back from an editor's tool. */
export interface EditedUnit extends ReturnedText {
  /** The block's id where the tool kept it. */
  id: string | undefined;
  /** The paragraph of the source, with its inline tags or without any. */
  source: string;
  /** Why the unit cannot be used: inline elements that are not ours, or another pair of languages. */
  fault?: 'UNKNOWN_MARKUP' | 'OTHER_LANGUAGES';
  /** The editor's tool says that it is finished. */
  isFinal?: true;
}

/**
 * `DAMAGED_TAGS`: the inline tags are not those of the paragraph. `EMPTY_TARGET`: the translation was deleted. `CORRECTED_TWICE`:
 * another unit says something else of the same paragraph. `UNKNOWN_MARKUP` and `OTHER_LANGUAGES`: faults of the unit.
 */
export const refusalReasons = [
  'DAMAGED_TAGS',
  'EMPTY_TARGET',
  'CORRECTED_TWICE',
  'UNKNOWN_MARKUP',
  'OTHER_LANGUAGES',
] as const;

/** What makes a text unfit for a paragraph of this source. */
export function faultOf(target: string, source: string): 'EMPTY_TARGET' | 'DAMAGED_TAGS' | undefined {
  if (stripInlineTags(target).trim() === '') return 'EMPTY_TARGET';
  return keepsInlineTags(target, source) ? undefined : 'DAMAGED_TAGS';
}

/** Tells a text that the machine made of the paragraph: what was exported at first. */
export type IsMachines = (text: string) => boolean;

/** Its sender has not edited it, so it changes nothing, whatever was corrected since it was exported. */
export function isUnedited({ target, exported }: ReturnedText, isMachines: IsMachines): boolean {
  return exported === undefined ? isMachines(target) : exportedHash(target) === exported;
}

/**
 * Somebody else has corrected the paragraph since it was exported.
 * @param isExport whether what comes back was exported at all: a list that does not say so speaks of the book as it is now
 */
export function isChangedSince(
  current: string,
  { exported }: ReturnedText,
  isMachines: IsMachines,
  isExport: boolean,
): boolean {
  return exported === undefined ? isExport && !isMachines(current) : exportedHash(current) !== exported;
}

/** A unit that two people have edited: what is there stays. */
export interface Conflict {
  unit: string;
  current: string;
  sent: string;
}

/** How many refusals and conflicts an answer lists. */
export const listedUnits = 100;
const listedCharacters = 1_000;

export function conflictOf(unit: string, current: string, sent: string): Conflict {
  return { unit, current: beginningOf(current), sent: beginningOf(sent) };
}

function beginningOf(text: string): string {
  return text.length <= listedCharacters ? text : `${text.slice(0, listedCharacters).toWellFormed()}…`;
}
