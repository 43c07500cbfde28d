/** A task: the partner's unit of work. Its states stand in `states.ts`. */
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import type { Lane } from '../platform/queue.ts';
import type { Stage, Status } from './states.ts';

export const actions = {
  translation: { needsTarget: true, charged: true, inline: false, producesFiles: true, takesWishes: true },
  preview_translation: { needsTarget: true, charged: true, inline: false, producesFiles: true, takesWishes: true },
  token_estimate: { needsTarget: false, charged: false, inline: false, producesFiles: false, takesWishes: true },
  glossary_extraction: { needsTarget: true, charged: true, inline: true, producesFiles: false, takesWishes: false },
  preview_metadata: { needsTarget: false, charged: false, inline: true, producesFiles: false, takesWishes: false },
} as const;
export type Action = keyof typeof actions;
export const actionNames = Object.keys(actions) as Action[];

/**
 * `OTHER_ORDER`: another range, language, series, glossary, context or draft setting than the estimate had. `STYLE_CHANGED` and `TERMS_CHANGED`: the
 * series is not what it was then.
 */
export const quoteVoids = [
  'NOT_COMPLETED',
  'USED',
  'EXPIRED',
  'OTHER_ORDER',
  'STYLE_CHANGED',
  'TERMS_CHANGED',
] as const;
export type QuoteVoid = (typeof quoteVoids)[number];

export interface TaskError {
  code: string;
  message: string;
  retryable: boolean;
}

/** What a partner asks for, and a task has. */
export interface Ordered {
  charLimit: number | undefined;
  /** The range of `charLimit` begins at the first chapter of prose. */
  skipFrontMatter: boolean;
  glossaryStrategy: GlossaryStrategy;
  /** How it shall read: in the words of the order, or else of the series as it was then. */
  style: string | undefined;
  /** What the translator should know. */
  context: string | undefined;
  /** False: no engine that makes drafts may do it. */
  acceptDraft: boolean;
  /** Files to make besides the book; undefined = the usual four. */
  outputs: string[] | undefined;
  /** The series may be gone since. */
  seriesId: string | undefined;
}

/** What was ordered, as a partner is shown it. */
interface TaskOrder extends Pick<Ordered, 'seriesId'> {
  id: string;
  action: Action;
  sandbox: boolean;
  fileName: string;
  sourceLang: string;
  targetLang: string | undefined;
  charCount: number;
  estimatedCredits: number;
  partnerMetadata: Record<string, string>;
  /** The token_estimate whose quote binds. */
  quoteTaskId: string | undefined;
  /** Why the quote of its source's estimate does not bind. */
  quoteVoid: QuoteVoid | undefined;
}

/** What a partner is shown of a task, in whatever form. */
export interface ShownTask extends TaskOrder {
  status: Status;
  stage: Stage;
  progress: number;
  detectedLang: string | undefined;
  creditsCharged: number | undefined;
  result: Record<string, unknown>;
  error: TaskError | undefined;
  createdAt: Date;
  endedAt: Date | undefined;
  purgedAt: Date | undefined;
}

/** What else was ordered. */
interface TaskWork extends Ordered {
  accountId: string;
  keyId: string;
  /** Of the series' terms as they were then, for the book's own process; undefined outside of series. */
  orderedTermsJson: string | undefined;
  sourceSha256: string;
  lane: Lane;
  jobId: string;
  /** W3C trace context of the create call. */
  traceparent: string | undefined;
}

export interface NewTask extends TaskOrder, TaskWork {
  /** Undefined when there is none. */
  glossaryJson: string | undefined;
  sourceKey: string;
  sourceBytes: number;
  /** The source itself, when it is kept with the task. */
  sourceText: Uint8Array | undefined;
}

export interface Task extends ShownTask, TaskWork {
  /** The account's setting when the task was created: what its previews have paid for is not charged again. */
  creditPreviews: boolean;
  /** The supplied terms as JSON; only the book's own process parses it, because there may be thousands. */
  glossaryJson: string;
  sourceKey: string | undefined;
  attempt: number;
}

/** What the text is in: as it was declared, else as it was detected so far. */
export function sourceLangOf({
  sourceLang,
  detectedLang,
}: Pick<Task, 'sourceLang' | 'detectedLang'>): string | undefined {
  return sourceLang === 'auto' ? detectedLang : sourceLang;
}

/** It runs, or it was cancelled and what it had finished by then is being written. */
export function filesAreToCome({ status, result }: Pick<Task, 'status' | 'result'>): boolean {
  return status === 'pending' || result.delivery === 'pending';
}

export interface TaskOutput {
  /** `translated`, `bilingual`, `glossary` or `report`. */
  fileId: string;
  fileName: string;
  mediaType: string;
  storageKey: string;
  sizeBytes: number;
  sha256: string;
}

export interface StoredOutput extends TaskOutput {
  /** Which state of the task's corrections it holds; 0 = as it was delivered. */
  edition: number;
}

/** preview_translation without a limit takes this many characters. */
export const defaultPreviewCharacters = 3_000;
/** An inline action up to this size is waited for by the create call. */
export const maxInlineCharacters = 50_000;
/** Tasks up to this size travel in the short lane. */
const maxShortCharacters = 20_000;

export function laneOf(action: Action, characters: number): Lane {
  return !actions[action].producesFiles || characters <= maxShortCharacters ? 'short' : 'book';
}
