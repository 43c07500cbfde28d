/**
 * Why a source is refused, as the stable words of `details.reason`. Partners match on them, so a word never changes.
 */
import { AppError, Bug, badRequest } from '../errors.ts';

export const sourceFaults = {
  UNSUPPORTED_FORMAT: 'The content of the file is none of the accepted formats.',
  LEGACY_DOC: 'The file is a document of Word 2003 or earlier (.doc).',
  UNREADABLE_SOURCE: 'The file is damaged or does not follow its own format.',
  EMPTY_SOURCE: 'The source holds no text that could be translated.',
  ENCRYPTED_SOURCE: 'The file is encrypted or protected by DRM.',
  ARCHIVE_ENTRIES: 'The archive holds too many entries.',
  ARCHIVE_TOO_LARGE: 'The archive unpacks to more bytes than allowed.',
  ARCHIVE_RATIO: 'An archive entry unpacks to more than 100 times its packed size.',
  ARCHIVE_OVERLAP: 'Entries of the archive share the same bytes.',
  ARCHIVE_MISMATCH: 'The two directories of the archive contradict each other.',
  ARCHIVE_PATH: 'An archive entry has an absolute, climbing or otherwise unsafe name.',
  ARCHIVE_SYMLINK: 'The archive holds a symbolic link or another special file.',
  ARCHIVE_DUPLICATE: 'Two archive entries have the same name.',
  XML_DOCTYPE: 'An XML part declares entities in its DOCTYPE.',
  XML_DEPTH: 'Elements are nested too deeply.',
  XML_TOO_LARGE: 'An XML part, or one of its attributes, is too large.',
  NOT_TEXT: 'The source is not text: it contains zero bytes.',
  UNREADABLE_ENCODING: 'The character encoding of the source could not be recognised. Send it as UTF-8.',
  XML_ENCODING: 'The character encoding of an XML part is unknown or is not the declared one.',
} as const;

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
  const message = `${sourceFaults.UNREADABLE_SOURCE} Its text could not be accounted for (${place}).`;
  return new AppError('BAD_REQUEST', message, {
    details: { field: 'file', reason: 'UNREADABLE_SOURCE', place },
    cause: new Bug(`A reader accounted for ${found} of ${expected} characters: ${place}.`),
  });
}
