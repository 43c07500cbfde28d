/**
 * Why a source is refused, as the stable words of `details.reason`. Partners match on them, so a word never changes.
 */
import { AppError, Bug, badRequest, sourceReasons } from '../errors.ts';

export const sourceFaults = sourceReasons;

export type SourceFault = keyof typeof sourceFaults;

/** BAD_REQUEST about the uploaded source; `detail` says where, and never quotes book text. */
export function sourceFault(reason: SourceFault, detail?: string, extra: Record<string, unknown> = {}): AppError {
  const message = detail === undefined ? sourceFaults[reason] : `${sourceFaults[reason]} ${detail}`;
  return badRequest(message, { field: 'file', reason, ...extra });
}

/**
 * Text of a source that its reader lost: a fault of ours, which must never become a translation with a hole. The sender
 * learns where it is, the log learns that a reader needs repair. `place` names a part, page or paragraph.
 */
export function unaccountedText(place: string, expected: number, found: number): AppError {
  return readerFault(
    'Its text could not be accounted for',
    place,
    `A reader accounted for ${found} of ${expected} characters`,
  );
}

/** The same for paragraphs that a reader never came to. */
export function missedText(place: string, expected: number, found: number): AppError {
  return readerFault('Most of its text was not found', place, `A reader saw ${found} of ${expected} text nodes`);
}

function readerFault(told: string, place: string, logged: string): AppError {
  return new AppError('BAD_REQUEST', `${sourceFaults.UNREADABLE_SOURCE} ${told} (${place}).`, {
    details: { field: 'file', reason: 'UNREADABLE_SOURCE', place },
    cause: new Bug(`${logged}: ${place}.`),
  });
}
