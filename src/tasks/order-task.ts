/** What a create call orders, by its request, the series, the quote and the source; or why it is refused. */

import { type Caller, ownerOf } from '../accounts/admit.ts';
import type { EngineCatalog } from '../engines/catalog.ts';
import { AppError, badField } from '../errors.ts';
import { type Language, parseLanguage } from '../language/languages.ts';
import type { Platform } from '../platform/platform.ts';
import type { Db } from '../platform/postgres.ts';
import type { StoredObject } from '../platform/storage/storage.ts';
import { withSpan } from '../platform/tracing.ts';
import { findSeries } from '../series/series-store.ts';
import { readOrderedTerms } from '../series/term-store.ts';
import type { GlossaryReader } from './glossary-reader.ts';
import { type QuotedOrder, quoteVoid } from './price.ts';
import { readQuote } from './price-store.ts';
import type { SeriesCounter, SeriesOrder } from './series-order.ts';
import { requireEngine } from './served-pairs.ts';
import { rangeOf, type SourceFiles } from './source-files.ts';
import type { StorageQuota } from './storage-quota.ts';
import { actions, type QuoteVoid, type Task } from './task.ts';
import { aboutField, requireTarget, requireTwoLanguages, sourceField, type TaskRequest } from './task-request.ts';
import { readUncharged } from './uncharged-store.ts';

export interface CreateTaskDependencies extends Pick<Platform, 'db' | 'queue' | 'storage' | 'metrics' | 'log'> {
  sources: SourceFiles;
  seriesCounts: SeriesCounter;
  glossaries: GlossaryReader;
  quota: StorageQuota;
  /** Aborts when the process has been asked to stop: nobody is kept waiting for an inline result then. */
  stopping: AbortSignal;
  /** What serves live keys and what serves test keys. */
  engines: EngineCatalog;
  sandboxEngines: EngineCatalog;
  unchargedCharactersPerDay: number;
}

export interface TaskSource extends StoredObject {
  /** A small text comes to be with its task; nothing is stored yet. */
  text?: Uint8Array;
}

export interface CreateTaskInput {
  caller: Caller;
  idempotencyKey: string | undefined;
  /** The id that the source was stored under. */
  taskId: string;
  request: TaskRequest;
  source: TaskSource;
  /** Whose source it is a copy of. */
  earlier?: Task | undefined;
  fileName: string;
  /** Aborts when the client leaves: only the waiting for an inline result ends then. */
  signal: AbortSignal;
  /** Called when there is a task, this one or an earlier one: from then on the request only waits for its answer. */
  onlyWaits(): void;
}

/** A create call that nothing speaks against. */
export interface Order extends OrderedInput {
  quote: FoundQuote | undefined;
  counted: CountedSource;
}

/** @throws NOT_FOUND, BAD_REQUEST, PAYLOAD_TOO_LARGE, STORAGE_QUOTA, RATE_LIMITED, UNAVAILABLE */
export async function orderTask(deps: CreateTaskDependencies, input: CreateTaskInput): Promise<Order> {
  const { caller } = input;
  const request = await inSeries(deps.db, caller, input.request);
  await refuseUncharged(deps, caller, request);
  const order = { ...input, request };
  const engines = caller.mode === 'test' ? deps.sandboxEngines : deps.engines;
  await requireEngine(engines, request, () => languageOf(deps, order));
  await deps.quota.claim(caller.accountId, input.source.sizeBytes);
  const quote = await findQuote(deps, request, input.earlier);
  const counted = await countSource(deps, order, quote);
  // Some first characters are several code points that are not split, and then nothing of the source fits.
  if (counted.characters < 1)
    throw badField(
      'EMPTY_SOURCE',
      'char_limit ends inside the first character of the source; send a larger one.',
      'char_limit',
    );
  return { ...order, quote, counted };
}

interface OrderedInput extends CreateTaskInput {
  request: OrderedTask;
}

interface CountedSource {
  characters: number;
  /** In a series, where the price depends on it. */
  rememberedCharacters?: number;
}

export async function countSource(
  { sources, seriesCounts }: CreateTaskDependencies,
  { caller, request, source, earlier, fileName }: OrderedInput,
  quote: FoundQuote | undefined,
): Promise<CountedSource> {
  const { charLimit, skipFrontMatter } = request;
  const order = rememberingOrder(request, quote);
  const isCounted = earlier?.charLimit === charLimit && earlier?.skipFrontMatter === skipFrontMatter;
  if (earlier !== undefined && isCounted && order === undefined) return { characters: earlier.charCount };
  const range = rangeOf({ ...request, fileName });
  const { accountId } = caller;
  return await withSpan('count source', { bytes: source.sizeBytes }, (): Promise<CountedSource> => {
    if (order !== undefined) {
      const { seriesId } = request;
      const owner = { ...ownerOf(caller), seriesId, charLimit, creditPreviews: false };
      return seriesCounts.count({ owner, range, source, order });
    }
    return source.text
      ? sources.countSmallText(source.text, range)
      : sources.count(source.key, { ...range, owner: accountId });
  }).catch((error) => {
    throw aboutField(error, sourceField(request));
  });
}

async function languageOf({ sources }: CreateTaskDependencies, order: OrderedInput): Promise<string | undefined> {
  const { caller, request, source, earlier, fileName } = order;
  if (earlier?.detectedLang !== undefined) return earlier.detectedLang;
  const options = { ...rangeOf({ ...request, fileName }), owner: caller.accountId };
  return await sources.languageOf(source, options).catch((error) => {
    throw aboutField(error, sourceField(request));
  });
}

/** What decides how much of the text the series remembers; undefined where that does not matter for the price. */
function rememberingOrder(request: OrderedTask, quote: FoundQuote | undefined): SeriesOrder['order'] | undefined {
  const { targetLang, orderedTermsJson } = request;
  const isQuoted = quote !== undefined && 'credits' in quote;
  if (orderedTermsJson === undefined || targetLang === undefined || isQuoted) return undefined;
  if (!actions[request.action].producesFiles) return undefined;
  return {
    sourceLang: request.sourceLang?.tag,
    targetLang: targetLang.tag,
    style: request.style,
    context: request.context,
    orderedTermsJson,
    glossaryJson: request.glossary.json ?? '[]',
    strategy: request.glossaryStrategy,
    acceptDraft: request.acceptDraft,
  };
}

/** A request with what its series has to say to it, as it is when the task is ordered. */
interface OrderedTask extends TaskRequest {
  /** Terms that people have set in the series; undefined outside of one. */
  orderedTermsJson: string | undefined;
}

/** @throws NOT_FOUND, BAD_REQUEST */
async function inSeries(db: Db, caller: Caller, request: TaskRequest): Promise<OrderedTask> {
  const { seriesId } = request;
  if (seriesId === undefined) return { ...request, orderedTermsJson: undefined };
  const series = await findSeries(db, ownerOf(caller), seriesId);
  const filled = {
    ...request,
    sourceLang: samePair('source_lang', request.sourceLang, series.sourceLang),
    targetLang: samePair('target_lang', request.targetLang, series.targetLang),
    style: request.style ?? series.style,
    orderedTermsJson: await readOrderedTerms(db, seriesId, request.glossary.json ?? '[]'),
  };
  requireTarget(filled);
  requireTwoLanguages(filled.sourceLang, filled.targetLang);
  return filled;
}

function samePair(field: string, asked: Language | undefined, ofSeries: string | undefined): Language | undefined {
  const seriesLanguage = ofSeries === undefined ? undefined : parseLanguage(ofSeries);
  if (asked === undefined || seriesLanguage === undefined) return asked ?? seriesLanguage;
  if (asked.code === seriesLanguage.code) return asked;
  const { tag } = seriesLanguage;
  const message = `The series is ${field === 'source_lang' ? 'from' : 'into'} ${tag}; it has one language pair.`;
  throw badField('OTHER_LANGUAGE_PAIR', message, field, [tag]);
}

type FoundQuote = { taskId: string; credits: number } | { void: QuoteVoid };

/** Undefined when the order is not one that a quote could be for. */
async function findQuote(
  { db, glossaries }: CreateTaskDependencies,
  order: OrderedTask,
  earlier: Task | undefined,
): Promise<FoundQuote | undefined> {
  if (order.action !== 'translation' || earlier?.action !== 'token_estimate') return undefined;
  const { glossaryJson, ...facts } = await readQuote(db, earlier.id, order.orderedTermsJson);
  const quoted = {
    ...earlier,
    ...facts,
    glossary: await glossaries.canonical(glossaryJson, earlier.accountId),
    completedAt: earlier.status === 'completed' ? earlier.endedAt : undefined,
  };
  const reason = quoteVoid(quoted, orderOf(order), new Date());
  if (reason !== undefined) return { void: reason };
  const { billable_characters: billable } = earlier.result;
  return { taskId: earlier.id, credits: typeof billable === 'number' ? billable : earlier.estimatedCredits };
}

function orderOf(order: OrderedTask): QuotedOrder {
  return {
    ...order,
    sourceLang: order.sourceLang?.tag ?? 'auto',
    targetLang: order.targetLang?.tag,
    glossary: order.glossary.canonical,
  };
}

/**
 * Cancelling early and failing on purpose cost nothing, but engines have worked. Past the limit of a day, an account's new
 * tasks wait for the next day. Free actions ask no engine and stay. @throws RATE_LIMITED
 */
async function refuseUncharged(
  { db, unchargedCharactersPerDay: limit }: CreateTaskDependencies,
  { accountId, mode }: Caller,
  { action }: TaskRequest,
): Promise<void> {
  if (mode === 'test' || !actions[action].charged) return;
  const { characters, secondsLeft } = await readUncharged(db, accountId);
  if (characters <= limit) return;
  const message =
    'Tasks that were cancelled or failed have used up what may be done without charge in one day; it starts anew at midnight UTC.';
  const details = { reason: 'UNCHARGED_WORK', uncharged_characters: characters, limit_characters: limit };
  throw new AppError('RATE_LIMITED', message, { details, retryAfterSeconds: secondsLeft });
}
