/**
 * The closed table of error codes. Domain code throws `AppError` by code; only the HTTP layer reads the
 * statuses. `docs/api/errors.md` and the OpenAPI document are generated from this table.
 */
export const errorTable = {
  BAD_REQUEST: {
    status: 400,
    when: 'Invalid parameters, missing input, malformed glossary JSON, or an unreadable or unsupported file.',
  },
  UNAUTHORIZED: { status: 401, when: 'The bearer key is missing, malformed, unknown or revoked.' },
  PAYMENT_REQUIRED: { status: 402, when: 'Insufficient prepaid credits. Nothing was created.' },
  DOWNLOAD_URL_INVALID: { status: 403, when: 'The signature of a download URL does not match.' },
  DOWNLOAD_URL_EXPIRED: { status: 403, when: 'The download URL has expired. Ask for a new one.' },
  READER_LINK_INVALID: {
    status: 403,
    when: 'The signature of a reader link does not match, the link was withdrawn, or its account is suspended.',
  },
  READER_LINK_EXPIRED: { status: 403, when: 'The reader link has expired. Ask for a new one.' },
  ACCOUNT_SUSPENDED: { status: 403, when: 'The operator has suspended the account. Running tasks finish.' },
  NOT_FOUND: { status: 404, when: 'Unknown route, unknown task, or a task of another partner.' },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The path exists but not with this method; see the Allow header.' },
  IDEMPOTENCY_CONFLICT: { status: 409, when: 'The Idempotency-Key was used before for a different logical request.' },
  REQUEST_IN_PROGRESS: {
    status: 409,
    when: 'The same request with the same key is still being created. Retry later with the same key.',
  },
  TASK_NOT_READY: { status: 409, when: 'The task is not finished, or its files are still being written.' },
  TASK_NOT_DOWNLOADABLE: {
    status: 409,
    when: 'The task failed, was cancelled before anything was finished, or produces no files.',
  },
  CHANGED_MEANWHILE: {
    status: 409,
    when: 'Somebody else has corrected the paragraph since it was read; `details.current` is what it says now.',
  },
  TASK_NOT_CANCELLABLE: { status: 409, when: 'The task has already ended.' },
  OUTPUT_EXPIRED: { status: 410, when: 'The outputs were purged by retention or deletion.' },
  SOURCE_EXPIRED: { status: 410, when: 'The source of the earlier task was purged by retention or deletion.' },
  PAYLOAD_TOO_LARGE: { status: 413, when: 'The request is over a published size limit; see GET /limits.' },
  STORAGE_QUOTA: {
    status: 413,
    when: 'The stored files of the account would take more than its quota. Delete tasks that are no longer needed.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: 'The content type of the request is not accepted here.' },
  RANGE_NOT_SATISFIABLE: { status: 416, when: 'The Range header asks for bytes beyond the end of the file.' },
  RATE_LIMITED: { status: 429, when: 'Too many requests; wait for the seconds in Retry-After.' },
  INTERNAL: { status: 500, when: 'A fault on our side. Quote the request id.' },
  UNAVAILABLE: { status: 503, when: 'The service cannot answer just now; retry after the seconds in Retry-After.' },
} as const;

/** Words of `details.reason` about a source. A word never changes its meaning. */
export const sourceReasons = {
  UNSUPPORTED_FORMAT: 'The content of the file is none of the accepted formats.',
  LEGACY_DOC: 'The file is a document of Word 2003 or earlier (.doc).',
  UNREADABLE_SOURCE: 'The file is damaged or does not follow its own format.',
  EMBEDDED_DOCUMENT: 'The Word document takes part of its text from another file that is embedded in it.',
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
  XML_DOCTYPE: 'An XML part declares entities in its DOCTYPE, or a file of corrections has a DOCTYPE at all.',
  XML_DEPTH: 'Elements are nested too deeply.',
  XML_TOO_LARGE: 'An XML part, an attribute, or the number of attributes of an element is too large.',
  TOO_MANY_HEADINGS: 'The source has more than 50,000 headings, which no book has.',
  NOT_TEXT: 'The source is not text: it contains zero bytes.',
  UNREADABLE_ENCODING: 'The character encoding of the source could not be recognised. Send it as UTF-8.',
  XML_ENCODING: 'The character encoding of an XML part is unknown or is not the declared one.',
} as const;

/** Every word of `details.reason`, for the documentation: it narrows the code, and partners may match on it. */
export const reasonTable = {
  ...sourceReasons,
  ADDRESS_NOT_ALLOWED: 'The host of a webhook is, or leads to, an address that is not public.',
  CREDENTIALS_IN_URL: 'The address of a webhook holds a user name or password.',
  FRAGMENT_IN_URL: 'The address of a webhook holds a fragment.',
  INVALID_URL: 'The address of a webhook is no URL.',
  PORT_NOT_ALLOWED: 'The address of a webhook names a port that is not allowed.',
  SCHEME_NOT_ALLOWED: 'The address of a webhook does not begin with https.',
  BAD_CURSOR: 'The cursor is not one that a list of this service gave.',
  BAD_IDEMPOTENCY_KEY: 'The Idempotency-Key is empty, too long, or not printable ASCII.',
  BAD_METADATA: 'metadata is not a JSON object of at most 16 short strings.',
  BAD_TEXT: 'A text is empty, too long, or holds characters that cannot be stored.',
  NOT_FOR_ACTION: 'The field does not go with this action.',
  UNCHARGED_WORK:
    'Too much was translated today for tasks that were cancelled or failed; creating goes on after midnight UTC.',
  OTHER_LANGUAGE_PAIR: 'The task asks for another language than its series has.',
  CSV_COLUMNS: 'The first line of a CSV does not name the columns source and target, or names unknown ones.',
  CSV_QUOTES: 'A CSV has a quotation mark that is not closed, or text beside one.',
  EMPTY_TARGET: 'A correction has no text.',
  CORRECTION_TOO_LONG: 'A corrected paragraph has more than 4 times the characters of its source and 2,000.',
  DAMAGED_TAGS: 'A correction does not have the inline tags of its source.',
  CORRECTED_TWICE: 'Two corrections of one request differ on the same paragraph.',
  UNKNOWN_SOURCE: 'The series remembers no paragraph with the source of a correction.',
  BAD_PATH: 'The path of the request is not valid percent-encoded UTF-8.',
  DUPLICATE_FIELD: 'A field was sent twice.',
  DUPLICATE_HEADER: 'A header that may be sent once was sent twice.',
  GLOSSARY_DUPLICATE_TERM: 'A term stands in the glossary twice.',
  GLOSSARY_MALFORMED_JSON: 'The glossary is not valid JSON.',
  GLOSSARY_NOT_AN_OBJECT: 'The glossary is no JSON object of terms.',
  GLOSSARY_TERM_INVALID: 'A term of the glossary is empty or not text.',
  GLOSSARY_TERM_TOO_LONG: 'A term of the glossary is too long.',
  GLOSSARY_TOO_LARGE: 'The glossary has too many bytes.',
  GLOSSARY_TOO_MANY_TERMS: 'The glossary has too many terms.',
  HEADERS_TOO_LARGE: 'The headers of the request or of a part are too large.',
  HOST_NOT_FOUND: 'The host of a webhook cannot be found.',
  INVALID_ENCODING: 'A value is not well-formed Unicode.',
  MALFORMED_HTTP: 'The request is not valid HTTP.',
  MISSING_FIELD: 'A field that this action needs is missing.',
  MISSING_SOURCE: 'There is neither a file nor a text.',
  NAME_TAKEN: 'Another object has this name.',
  NOT_A_COUNT: 'The value is not a whole number from 1 on.',
  MALFORMED_XML: 'A file of corrections is not well-formed XML.',
  OTHER_LANGUAGES: 'A unit of a file is not in the languages of the series or the task.',
  TOO_MANY_CORRECTIONS: 'There are more corrections than one request may have.',
  UNKNOWN_MARKUP: 'A unit of a file has inline elements that are not those of our files.',
  BAD_CORRECTIONS: 'The list of corrections is not what it should be.',
  NO_ENGINE_FOR_PAIR: 'No engine translates this pair of languages.',
  PROCESSING_LIMIT: 'The work on this source exceeded a limit of time or memory.',
  REFERENCE_REUSED: 'The reference was used for another amount.',
  REFUND_TOO_LARGE: 'More would be refunded than was charged.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  SAME_LANGUAGE: 'Source and target language are the same.',
  TOO_MANY_CHARACTERS: 'The source has more characters than allowed.',
  TOO_MANY_WEBHOOKS: 'The account has as many webhooks as it may have.',
  TWO_SOURCES: 'A file and a text were sent together.',
  UNKNOWN_EVENT: 'There is no event with this id.',
  UNKNOWN_FIELD: 'There is no field of this name.',
  UNKNOWN_VALUE: 'The value is none of those in `details.allowed`.',
  UNSUPPORTED_LANGUAGE: 'The language is not among those of GET /languages.',
  WEBHOOK_DISABLED: 'The webhook is switched off.',
  MALFORMED_BODY: 'The body of the request cannot be understood.',
  INCOMPLETE_BODY: 'The body of the request ends too early.',
  INVALID_BOUNDARY: 'The boundary of the form is missing or not valid.',
  INVALID_VALUE: 'A value is not of its type.',
  TOO_MANY_PARTS: 'The request has too many parts or fields.',
  TOO_MANY_FILES: 'The request has more than one file.',
  FILE_NEEDS_MULTIPART: 'A file can be sent in multipart/form-data only.',
  UPLOAD_TOO_SLOW: 'The upload was too slow.',
} as const;

export type Reason = keyof typeof reasonTable;

export type ErrorCode = keyof typeof errorTable;

export interface AppErrorOptions {
  /** Shown to the partner under `error.details`. */
  details?: Record<string, unknown>;
  /** Becomes the Retry-After header, in whole seconds. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that a caller can understand. `message` is public: never put secrets or book text in it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * A bug of ours that the partner sees as a bad request, because we cannot handle their file. It is the `cause` of the answer
 * and is logged as an error, so that we fix it.
 */
export class Bug extends Error {
  override readonly name = 'Bug';
}

/** The most common error: something the partner sent. `reason` is a stable word that partners may match on. */
export function badRequest(
  message: string,
  details: { field?: string; reason?: string; allowed?: readonly string[] } & Record<string, unknown> = {},
): AppError {
  return new AppError('BAD_REQUEST', message, { details });
}

/** The same for a field at fault. @param allowed the accepted values, where the set is closed */
export function badField(reason: Reason, message: string, field?: string, allowed?: readonly string[]): AppError {
  return badRequest(message, { ...(field !== undefined && { field }), reason, ...(allowed && { allowed }) });
}
