/** What a partner may send to POST /tasks, read strictly: a misspelt `char_limt` must never become a full paid run. */
import { createHash } from 'node:crypto';
import { AppError, badField, badRequest } from '../errors.ts';
import { glossaryStrategies, type SentGlossary } from '../glossary/glossary.ts';
import type { Language } from '../language/languages.ts';
import { isStorable, parseMetadata } from '../partner-metadata.ts';
import { languageIn, maxStyleCharacters } from '../series/series-request.ts';
import { isOneOf, wholeNumberOf } from '../written-values.ts';
import { requestableOutputs } from './output-files.ts';
import { type Action, actionNames, actions, defaultPreviewCharacters, type Ordered } from './task.ts';

export interface TaskRequest extends Ordered {
  action: Action;
  /** Undefined = to be detected. */
  sourceLang: Language | undefined;
  targetLang: Language | undefined;
  estimatedChars: number | undefined;
  glossary: SentGlossary;
  metadata: Record<string, string>;
  /** The source when it was sent as `text`, in UTF-8. */
  text: Uint8Array | undefined;
  /** An earlier task whose source is taken. */
  sourceTaskId: string | undefined;
  fileName: string | undefined;
}

/** A request whose glossary nobody has read yet. */
interface ParsedRequest extends Omit<TaskRequest, 'glossary'> {
  /** As it was sent. */
  glossaryText: string | undefined;
}

export const glossaryStrategyNames = glossaryStrategies;

export const taskFieldNames = [
  'action',
  'target_lang',
  'source_lang',
  'char_limit',
  'skip_front_matter',
  'estimated_chars',
  'glossary',
  'glossary_strategy',
  'accept_draft',
  'outputs',
  'metadata',
  'style',
  'context',
  'text',
  'source_task_id',
  'series_id',
  'file_name',
] as const;

/** @throws BAD_REQUEST naming the field */
export function parseTaskRequest(
  sent: ReadonlyMap<string, string>,
  { hasFile, sentText }: { hasFile: boolean; sentText: Uint8Array | undefined },
): ParsedRequest {
  const fields = withoutEmpty(sent);
  for (const [name, value] of sent) {
    // Only JSON can bring half a surrogate pair; storing it would turn it into U+FFFD behind the partner's back.
    if (!value.isWellFormed())
      throw badField('INVALID_ENCODING', 'The value is not well-formed Unicode.', name.slice(0, 64));
    if (!isOneOf(name, taskFieldNames))
      throw badField(
        'UNKNOWN_FIELD',
        `There is no parameter "${name.slice(0, 64)}".`,
        name.slice(0, 64),
        taskFieldNames,
      );
  }
  const action = oneOf(fields, 'action', actionNames);
  // Empty beside a file it is a field of a form that was not filled in; alone, its sender learns that it is empty.
  const text = hasFile && sentText?.byteLength === 0 ? undefined : sentText;
  const sourceTaskId = fields.get('source_task_id');
  if (hasFile && text !== undefined) throw badField('TWO_SOURCES', 'Send a file or text, not both.', 'text');
  if (sourceTaskId !== undefined && (hasFile || text !== undefined)) {
    const message = 'source_task_id stands for the source; send no file and no text with it.';
    throw badField('TWO_SOURCES', message, 'source_task_id');
  }
  if (!hasFile && text === undefined && sourceTaskId === undefined)
    throw badField('MISSING_SOURCE', 'Send the source as a file part or as text.', 'file');
  if (text?.byteLength === 0) throw badField('EMPTY_SOURCE', 'The text is empty.', 'text');
  if (hasFile && fields.has('file_name'))
    throw badRequest('file_name goes with text; an uploaded file brings its own name.', { field: 'file_name' });
  const charLimit =
    positiveInteger(fields, 'char_limit') ?? (action === 'preview_translation' ? defaultPreviewCharacters : undefined);
  const estimatedChars = positiveInteger(fields, 'estimated_chars');
  if (hasFile && !fields.has('char_limit') && estimatedChars === undefined)
    throw badField(
      'MISSING_FIELD',
      'A file upload needs estimated_chars, or char_limit for a preview.',
      'estimated_chars',
    );
  const sourceLang = languageIn(fields, 'source_lang');
  const targetLang = languageIn(fields, 'target_lang');
  const seriesId = fields.get('series_id');
  // A series knows its languages.
  if (seriesId === undefined) requireTarget({ action, targetLang });
  requireTwoLanguages(sourceLang, targetLang);
  return {
    action,
    sourceLang,
    targetLang,
    charLimit,
    skipFrontMatter: skipFrontMatter(fields, charLimit),
    estimatedChars: hasFile ? estimatedChars : undefined,
    glossaryText: fields.get('glossary'),
    glossaryStrategy: fields.has('glossary_strategy')
      ? oneOf(fields, 'glossary_strategy', glossaryStrategies)
      : 'merge',
    acceptDraft: flag(fields, 'accept_draft', true),
    outputs: outputs(fields.get('outputs')),
    metadata: parseMetadata(fields.get('metadata')),
    style: wish(fields, 'style', action),
    context: wish(fields, 'context', action),
    text,
    sourceTaskId,
    seriesId,
    fileName: fields.get('file_name'),
  };
}

/** @throws BAD_REQUEST */
export function requireTarget({ action, targetLang }: Pick<TaskRequest, 'action' | 'targetLang'>): void {
  if (actions[action].needsTarget && !targetLang)
    throw badField('MISSING_FIELD', `${action} needs target_lang.`, 'target_lang');
}

/** @throws BAD_REQUEST */
export function requireTwoLanguages(sourceLang: Language | undefined, targetLang: Language | undefined): void {
  if (sourceLang && sourceLang.code === targetLang?.code)
    throw badField(
      'SAME_LANGUAGE',
      'The source and the target language are the same. Choose another target_lang.',
      'target_lang',
    );
}

/** An optional field sent empty counts as absent: HTML forms and many HTTP libraries send every field they know. */
function withoutEmpty(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...fields].filter(([, value]) => value !== ''));
}

/** @throws BAD_REQUEST where nothing limits the text: a whole book without its preface is not what anybody means */
function skipFrontMatter(fields: ReadonlyMap<string, string>, charLimit: number | undefined): boolean {
  const asked = flag(fields, 'skip_front_matter', false);
  if (asked && charLimit === undefined)
    throw badField('MISSING_FIELD', 'skip_front_matter goes with char_limit.', 'skip_front_matter');
  return asked;
}

export const maxContextCharacters = 4_000;
const maxWish = { style: maxStyleCharacters, context: maxContextCharacters };

/** With its lines, and without other control characters. @throws BAD_REQUEST */
function wish(fields: ReadonlyMap<string, string>, field: 'style' | 'context', action: Action): string | undefined {
  const sent = fields.get(field);
  if (sent === undefined) return undefined;
  if (!actions[action].takesWishes)
    throw badField('NOT_FOR_ACTION', `${field} goes with a translation, its preview or its estimate.`, field);
  const text = sent
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0001-\u0009\u000b-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  if (text === '' || !isStorable(text, maxWish[field]))
    throw badField('BAD_TEXT', `${field} has 1 to ${maxWish[field]} characters.`, field);
  return text;
}

function oneOf<T extends string>(fields: ReadonlyMap<string, string>, field: string, allowed: readonly T[]): T {
  const value = fields.get(field);
  if (value === undefined) throw badField('MISSING_FIELD', `${field} is missing.`, field, allowed);
  if (!isOneOf(value, allowed))
    throw badField('UNKNOWN_VALUE', `${field} must be one of ${allowed.join(', ')}.`, field, allowed);
  return value;
}

function flag(fields: ReadonlyMap<string, string>, field: string, fallback: boolean): boolean {
  return fields.has(field) ? oneOf(fields, field, ['true', 'false']) === 'true' : fallback;
}

function positiveInteger(fields: ReadonlyMap<string, string>, field: string): number | undefined {
  const value = fields.get(field);
  if (value === undefined) return undefined;
  const number = wholeNumberOf(value);
  if (number === undefined || number < 1)
    throw badField('NOT_A_COUNT', `${field} must be a whole number of at least 1.`, field);
  return number;
}

/** The order and repetitions mean nothing; the book itself is always made. */
function outputs(raw: string | undefined): string[] | undefined {
  if (raw === undefined || raw.trim() === '') return undefined;
  const asked = raw.split(',').map((name) => name.trim());
  const unknown = asked.find((name) => !isOneOf(name, requestableOutputs));
  if (unknown !== undefined)
    throw badField(
      'UNKNOWN_VALUE',
      'outputs is a comma-separated list of files to make.',
      'outputs',
      requestableOutputs,
    );
  return requestableOutputs.filter((name) => name === 'translated' || asked.includes(name));
}

/** @throws BAD_REQUEST */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw badField(
      'BAD_IDEMPOTENCY_KEY',
      'An Idempotency-Key has 1 to 255 printable ASCII characters.',
      'Idempotency-Key',
    );
  return key;
}

/** Equal for equal requests: fields with defaults filled in and the content's hash; not names, order or boundaries. */
export function fingerprintOf(request: TaskRequest, contentSha256: string): Buffer {
  const canonical = {
    action: request.action,
    source_lang: request.sourceLang?.tag ?? 'auto',
    target_lang: request.targetLang?.tag ?? null,
    char_limit: request.charLimit ?? null,
    // Only when it differs from the default: what was hashed before the field existed must stay the same request.
    ...(request.skipFrontMatter ? { skip_front_matter: true } : {}),
    estimated_chars: request.estimatedChars ?? null,
    glossary: request.glossary.canonical,
    glossary_strategy: request.glossaryStrategy,
    ...(request.acceptDraft ? {} : { accept_draft: false }),
    // Absent where it was not sent: keys stored before there was such a field still match.
    outputs: request.outputs,
    metadata: Object.entries(request.metadata).sort(([a], [b]) => (a < b ? -1 : 1)),
    input: request.sourceTaskId !== undefined ? 'source_task' : request.text === undefined ? 'file' : 'text',
    ...(request.sourceTaskId === undefined ? {} : { source_task_id: request.sourceTaskId }),
    ...(request.seriesId === undefined ? {} : { series_id: request.seriesId }),
    ...(request.style === undefined ? {} : { style: request.style }),
    ...(request.context === undefined ? {} : { context: request.context }),
    content: contentSha256,
  };
  return createHash('sha256').update(JSON.stringify(canonical)).digest();
}

/** The field of a request that its source came in, for faults of the source. */
export function sourceField({ text, sourceTaskId }: TaskRequest): 'file' | 'text' | 'source_task_id' {
  if (sourceTaskId !== undefined) return 'source_task_id';
  return text === undefined ? 'file' : 'text';
}

/** Readers know a file and not how it was sent, so here its faults speak of the field. */
export function aboutField(error: unknown, field: string): unknown {
  if (!(error instanceof AppError) || error.details?.reason === undefined) return error;
  const { code, retryAfterSeconds, cause } = error;
  const message = field === 'text' ? error.message.replaceAll(/\bfile\b/g, 'text') : error.message;
  return new AppError(code, message, { details: { ...error.details, field }, retryAfterSeconds, cause });
}
