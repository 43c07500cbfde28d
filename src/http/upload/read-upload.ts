import { isUtf8 } from 'node:buffer';
import { addAbortListener } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { badField } from '../../errors.ts';
import { safeFileName } from '../../platform/storage/content-disposition.ts';
import type { StoredObject } from '../../platform/storage/storage.ts';
import { taskFieldNames } from '../../tasks/task-request.ts';
import { FieldSet, readJsonFields, readUrlencodedFields } from './fields.ts';
import { type HeaderValue, isBoundary, type Part, parseHeaderValue, parseMultipart } from './multipart.ts';
import { RequestBody, type UploadRequest } from './request-body.ts';
import { smallBodyTooLarge, tooLarge, type UploadLimits, unsupported } from './upload-limits.ts';

export interface Upload {
  /** Raw values by name, without the text; in JSON requests numbers and objects as their JSON text. Unknown names are kept. */
  fields: Map<string, string>;
  file?: UploadedFile;
  /** UTF-8. */
  text?: Uint8Array;
}

export interface UploadedFile {
  fieldName: string;
  /** A base name that is safe to show and to send, at most 255 bytes. */
  fileName: string;
  stored: StoredObject;
}

export interface UploadOptions {
  limits: UploadLimits;
  /** Consumes the file while it arrives. `signal` aborts when the client disconnects or the time is up. */
  sink(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredObject>;
  /** Undoes a finished `sink` when something after it fails. */
  discard(stored: StoredObject): Promise<void>;
  /** Names that are fields even when a client gives them a file name, as `FormData` does with a Blob. Left out: those of a task. */
  fieldNames?: ReadonlySet<string>;
  /** Whether `text` may be as long as a file; otherwise it is a field like others. */
  takesText?: boolean;
}

/** Read in less than a millisecond. */
const shortBodyBytes = 65_536;
/** Forty bodies of 2 MB that came at once, read without a pause, kept every other request waiting for half a second. */
const pauseMs = 10;
let lastTurn: Promise<void> = Promise.resolve();

const taskFormFields: ReadonlySet<string> = new Set(taskFieldNames.filter((name) => name !== 'text'));

/**
 * Reads the body of `POST /tasks`: multipart/form-data, or urlencoded or JSON for text. Streams a file into
 * `sink` with back-pressure from end to end. Throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, or
 * UNAVAILABLE when the sink is too slow. After an error nothing stays stored, and this function handles the
 * connection: the caller only has to answer.
 */
export async function readUpload(request: UploadRequest, options: UploadOptions): Promise<Upload> {
  const body = new RequestBody(request, options.limits);
  const reading = new Reading(body, options);
  try {
    return await reading.read(request);
  } catch (error) {
    await reading.undo();
    body.linger();
    throw error;
  } finally {
    body.release();
  }
}

/** Long bodies are read one after another, each followed by a pause for the requests of others. */
function inTurn(read: () => void): Promise<void> {
  const done = lastTurn.then(read);
  lastTurn = done.catch(() => {}).then(() => setTimeout(pauseMs));
  return done;
}

class Reading {
  readonly #body: RequestBody;
  readonly #options: UploadOptions;
  readonly #fields: FieldSet;
  #file: UploadedFile | undefined;
  #sinking: Promise<StoredObject> | undefined;

  constructor(body: RequestBody, options: UploadOptions) {
    this.#body = body;
    this.#options = options;
    this.#fields = new FieldSet(options.limits, { takesText: options.takesText ?? false });
  }

  async read({ headers }: UploadRequest): Promise<Upload> {
    const type = readContentType(headers);
    const { limits } = this.#options;
    if (type.value === 'multipart/form-data') {
      const boundary = type.parameters.get('boundary');
      const sizeBytes = Number(headers['content-length'] ?? 0);
      if (sizeBytes > limits.requestBytes) throw tooLarge('The request', { bytes: limits.requestBytes });
      if (!isBoundary(boundary)) throw invalidBoundary();
      for await (const part of parseMultipart(this.#body, boundary, limits)) await this.#readPart(part);
    } else {
      const read = type.value === 'application/json' ? readJsonFields : readUrlencodedFields;
      const bytes = await this.#smallBody(headers);
      const readBody = () => read(utf8Text(bytes), this.#fields);
      if (bytes.length > shortBodyBytes) await inTurn(readBody);
      else readBody();
    }
    const { values: fields, text } = this.#fields;
    return { fields, ...(this.#file ? { file: this.#file } : {}), ...(text ? { text } : {}) };
  }

  async #smallBody(headers: UploadRequest['headers']): Promise<Buffer> {
    const { smallBodyBytes } = this.#options.limits;
    const fault = () => smallBodyTooLarge(smallBodyBytes);
    if (Number(headers['content-length'] ?? 0) > smallBodyBytes) throw fault();
    return await collectBytes(this.#body, smallBodyBytes, fault);
  }

  /** Removes the stored file, also when a sink that ignores its signal finishes long after our answer. */
  async undo(): Promise<void> {
    const undone = this.#sinking?.then((stored) => this.#options.discard(stored)).catch(() => {});
    const enough = new AbortController();
    await Promise.race([undone, setTimeout(1000, undefined, { signal: enough.signal }).catch(() => {})]);
    enough.abort();
  }

  async #readPart(part: Part): Promise<void> {
    const isField = part.fileName === undefined || (this.#options.fieldNames ?? taskFormFields).has(part.name);
    if (isField && part.name !== 'file') await this.#readField(part);
    else await this.#readFile(part);
  }

  async #readField({ name, charset, content }: Part): Promise<void> {
    this.#fields.admit(name);
    if (charset !== undefined && !isUtf8Name(charset))
      throw badField('INVALID_ENCODING', `The field ${name} must be sent as UTF-8.`, name);
    const maxBytes = this.#fields.maxBytes(name);
    this.#fields.addBytes(name, await collectBytes(content, maxBytes, () => this.#fields.tooLarge(name)));
  }

  async #readFile(part: Part): Promise<void> {
    if (this.#file) {
      const message = `Only one file can be sent: ${this.#file.fieldName} and ${part.name} are two.`;
      throw badField('TOO_MANY_FILES', message, part.name);
    }
    const { signal } = this.#body;
    this.#sinking = this.#options.sink(this.#fileContent(part), signal);
    const stored = await unlessAborted(this.#sinking, signal);
    this.#file = { fieldName: part.name, fileName: safeFileName(part.fileName ?? ''), stored };
    if (stored.sizeBytes === 0) throw badField('EMPTY_SOURCE', 'The file is empty.', part.name);
  }

  async *#fileContent({ content, name }: Part): AsyncGenerator<Uint8Array, void, undefined> {
    const { fileBytes } = this.#options.limits;
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > fileBytes) throw tooLarge('The file', { bytes: fileBytes }, name);
      yield chunk;
    }
  }
}

function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badField('INVALID_ENCODING', 'The body is not UTF-8.');
  return bytes.toString();
}

function readContentType(headers: UploadRequest['headers']): HeaderValue {
  const type = parseHeaderValue(headers['content-type'] ?? '');
  const isForm = type?.value === 'multipart/form-data';
  const isText = type?.value === 'application/x-www-form-urlencoded' || type?.value === 'application/json';
  if (!type && /^multipart\/form-data[ \t]*;/i.test(headers['content-type'] ?? '')) throw invalidBoundary();
  if (!type || (!isForm && !isText))
    throw unsupported('Send multipart/form-data, or application/json or application/x-www-form-urlencoded for text.');
  if (isText && !isUtf8Name(type.parameters.get('charset') ?? 'utf-8')) throw unsupported('The body must be UTF-8.');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported('The body must be sent without a Content-Encoding.');
  return type;
}

function invalidBoundary() {
  return badField('INVALID_BOUNDARY', 'The Content-Type of the request has no valid boundary.');
}

function isUtf8Name(charset: string): boolean {
  return /^(utf-?8|us-ascii)$/i.test(charset);
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  using _listening = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([work, promise]);
}

/**
 * All bytes of a stream, in one buffer that grows: a client that sends byte by byte must not make millions of small ones.
 * @param tooLarge what is thrown when there are more than `maxBytes`
 */
async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of chunks) {
    if (length + chunk.length > maxBytes) throw tooLarge();
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + chunk.length));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(chunk, length);
    length += chunk.length;
    // The requests of others are served between the pieces of a long one: forty at once would be read in one go.
    if (length > shortBodyBytes) await setImmediate();
  }
  return buffer.subarray(0, length);
}
