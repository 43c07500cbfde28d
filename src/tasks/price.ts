/**
 * Every rule of what a task costs, as pure functions: what is held, credited, and charged at each end. Nothing else computes a
 * price. One credit is one source character.
 */
import { type Action, actions, type Ordered, type QuoteVoid } from './task.ts';

export interface Order extends Pick<Ordered, 'charLimit' | 'glossaryStrategy'> {
  action: Action;
  /** What the partner expects of a file sent without `char_limit`. */
  estimatedChars?: number | undefined;
  /** What a token_estimate of the same source said, where it binds: see `quoteVoid`. */
  quotedCredits?: number | undefined;
  /** In a series: what it remembers of the text, which is not charged. So nothing has to be guessed. */
  rememberedCharacters?: number | undefined;
}

/** `estimated_credits`: what is held; for token_estimate, which is free, the price of the run that it describes. */
export function estimateOf(order: Order, countedCharacters: number): number {
  if (order.action === 'preview_metadata' || skipsExtraction(order)) return 0;
  if (order.quotedCredits !== undefined) return order.quotedCredits;
  if (order.rememberedCharacters !== undefined) return Math.max(0, countedCharacters - order.rememberedCharacters);
  if (order.action === 'token_estimate' || order.charLimit !== undefined) return countedCharacters;
  return Math.max(countedCharacters, order.estimatedChars ?? 0);
}

/** What decides the price of a text: an estimate was made for one such order. */
export interface QuotedOrder extends Omit<Ordered, 'outputs'> {
  /** `auto` = detected. */
  sourceLang: string;
  targetLang: string | undefined;
  /** The task's own terms, as text that is the same for the same terms. */
  glossary: string;
}

export interface Quote extends QuotedOrder {
  completedAt: Date | undefined;
  /** By another task. */
  isUsed: boolean;
  /** Whether the terms that people have set in the series are those that it was made with. */
  hasSameTerms: boolean;
}

/** A quote binds for a week. */
const quoteLifetimeMs = 7 * 24 * 3600 * 1000;

/**
 * Why a quote does not bind. It is good for one task, ordered as the estimate was. Otherwise a quote for a remembered book would buy
 * the same book in another style or with other names, again and again. Undefined when it binds.
 */
export function quoteVoid(quote: Quote, order: QuotedOrder, now: Date): QuoteVoid | undefined {
  if (quote.completedAt === undefined) return 'NOT_COMPLETED';
  if (quote.isUsed) return 'USED';
  if (now.getTime() - quote.completedAt.getTime() >= quoteLifetimeMs) return 'EXPIRED';
  if (!isSameOrder(quote, order)) return 'OTHER_ORDER';
  if (order.seriesId !== undefined && quote.style !== order.style) return 'STYLE_CHANGED';
  return quote.hasSameTerms ? undefined : 'TERMS_CHANGED';
}

const alwaysDecisive = [
  ...(['charLimit', 'skipFrontMatter', 'seriesId'] as const),
  ...(['glossary', 'glossaryStrategy', 'acceptDraft'] as const),
];
/** Outside of a series nothing is remembered that these could make new, and an estimate need not name them. */
const decisiveInSeries = ['sourceLang', 'targetLang', 'context'] as const;

function isSameOrder(one: QuotedOrder, other: QuotedOrder): boolean {
  const isSame = (field: keyof QuotedOrder) => one[field] === other[field];
  return alwaysDecisive.every(isSame) && (one.seriesId === undefined || decisiveInSeries.every(isSame));
}

/** What is held when a task is created; 0 = it needs no hold. Sandbox keys move no credits. */
export function holdOf(order: Order, countedCharacters: number, mode: 'live' | 'test'): number {
  return mode === 'live' && actions[order.action].charged ? estimateOf(order, countedCharacters) : 0;
}

/** Extraction with `replace` only repeats the supplied terms: no engine is asked, so nothing is charged. */
function skipsExtraction({ action, glossaryStrategy }: Pick<Order, 'action' | 'glossaryStrategy'>): boolean {
  return action === 'glossary_extraction' && glossaryStrategy === 'replace';
}

/** What the checkpoints of a task add up to, in characters. */
export interface Work {
  /** In segments that were translated. */
  segments: number;
  /** In blocks that were remembered. */
  recalled: number;
  /** The part of `recalled` that costs nothing. */
  paidBefore: number;
  /** In stretches of text that terms were read from. */
  extractions: number;
}

type Charged = Pick<Order, 'action' | 'glossaryStrategy'> & { charCount: number };

/** The charge of a completed task: the characters it delivers, without those that are reused. The hold limits it: see `holdOf`. */
export function chargeOnCompletion(
  task: Charged,
  { deliveredCharacters, reusedCharacters }: { deliveredCharacters: number; reusedCharacters: number },
): number {
  return charge(task, deliveredCharacters, reusedCharacters);
}

/** The charge of a cancelled task: what was finished by then, without what was paid for before. */
export function chargeOnCancel(task: Charged, work: Work): number {
  const done = task.action === 'glossary_extraction' ? work.extractions : work.segments + work.recalled;
  return charge(task, done, work.paidBefore);
}

/** A task that fails costs nothing, whatever was done for it. */
export const chargeOnFailure = 0;

/** Failures of ours: nobody has to answer for what was done before them. */
const ownFailures = new Set(['INTERNAL', 'TIMED_OUT', 'TRANSLATION_UNAVAILABLE']);

/**
 * Characters that engines were sent for a cancelled or failed task and that nobody pays for. They count against the
 * account's day: past a limit it creates no more tasks.
 */
export function unchargedWork(
  end: { sandbox: boolean; errorCode?: string },
  sentCharacters: number,
  creditsCharged: number,
): number {
  if (end.sandbox || (end.errorCode !== undefined && ownFailures.has(end.errorCode))) return 0;
  return Math.max(0, sentCharacters - creditsCharged);
}

/**
 * Characters of a completed task that were translated and that its hold does not cover. Its series has forgotten what it remembered
 * when the task was ordered, as after its deletion. Such characters count against the account's day too.
 */
export function uncoveredWork({ sandbox }: { sandbox: boolean }, charge: number, creditsCharged: number): number {
  return sandbox ? 0 : Math.max(0, charge - creditsCharged);
}

function charge(task: Charged, doneCharacters: number, paidBefore: number): number {
  if (!actions[task.action].charged || skipsExtraction(task)) return 0;
  return Math.max(0, Math.min(task.charCount, doneCharacters) - paidBefore);
}

/** What a glossary_extraction delivers: the whole range, or only the stretches that an engine could read. */
export function extractedCharacters(
  { charCount }: { charCount: number },
  reading: { incompleteChunks: number; readCharacters: number },
): number {
  return reading.incompleteChunks === 0 ? charCount : Math.min(charCount, reading.readCharacters);
}

/** The task of the same account, outside of series, that a remembered block belongs to. */
export interface EarlierPayment {
  completed: boolean;
  creditsCharged: number;
  /** Only a task over an opening range is a preview. */
  charLimit: number | undefined;
}

/**
 * Whether a remembered block costs nothing. In a series it always does. Outside of one only a full run is credited, for what a
 * preview has paid, and only where the account's setting said so.
 */
export function isPaidBefore(
  task: Pick<Ordered, 'seriesId' | 'charLimit'> & { creditPreviews: boolean },
  earlier: EarlierPayment | undefined,
): boolean {
  if (task.seriesId !== undefined) return true;
  if (!task.creditPreviews || task.charLimit !== undefined || earlier === undefined) return false;
  return earlier.completed && earlier.creditsCharged > 0 && earlier.charLimit !== undefined;
}
