/** The book as the service tells it to the page. All addresses are relative to the link, which is the only credential. */
export interface Chapter {
  title: string | null;
  translated_title: string | null;
  characters: number;
  continued: boolean;
  /** The number of its first block, as in the block's id. */
  first_block: number;
  /** One letter per block: `.` translated, `k` kept, `f` failed, `w` warned, `c` corrected, `a` approved. */
  marks: string;
}

export interface Term {
  source: string;
  target: string;
  type: string;
  gender: string;
  aliases: string[];
  note: string | null;
  occurrences: number;
}

export interface WaitingBook {
  status: 'pending' | 'completed' | 'failed' | 'cancelled';
  stage: string;
  progress: number;
  file_name: string;
  editable: boolean;
  /** `draft`, `refined`, `sandbox` or another word of the service; null while it is not known. */
  quality: string | null;
  source_lang: string;
  target_lang: string;
  source_rtl: boolean;
  target_rtl: boolean;
  /** While the book is being translated: its chapters, and which of them can be read already. */
  live?: LiveChapter[];
}

export interface LiveChapter extends Pick<Chapter, 'title' | 'translated_title' | 'characters'> {
  index: number;
  ready: boolean;
}

export interface Book extends WaitingBook {
  title: string | null;
  author: string | null;
  vertical: boolean;
  chapters: Chapter[];
  terms: Term[];
  /** Ids of the paragraphs to look at first, the most doubtful ones before the others. */
  review: string[];
  /** How it is translated: a line for each decision. */
  sheet: string[];
}

export interface Ruby {
  base: string;
  reading: string;
}

export interface Block {
  id: string;
  kind: string;
  source: string;
  /** Readings beside words of the source, in its order. */
  ruby?: Ruby[];
  /** Numbers of the inline tags that are italics, 0 for the whole paragraph. */
  italics?: number[];
  target: string;
  state: 'translated' | 'kept' | 'failed';
  notes: string[];
  terms: number[];
  corrected: boolean;
  /** An editor has looked at it and left it as it is. */
  approved: boolean;
  /** What was translated, where it was corrected. */
  machine?: string;
}

export interface Place {
  chapter: number;
  block_id: string;
}

export interface Passage extends Place {
  side: 'source' | 'target';
  excerpt: string;
}

export interface CorrectionResult {
  taken: number;
  unchanged: number;
  refused: number;
  refusals: { unit: string; reason: string }[];
}

export interface ParagraphHistory {
  machine: string;
  current: string;
  /** The latest first. */
  earlier: { text: string; saved_at: string }[];
}

/** What the service answered instead of the book. */
export class Refusal extends Error {
  readonly status: number;
  readonly details: Record<string, unknown>;

  constructor(status: number, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Nothing that could be understood: the service restarts, or the network is away. */
export class NoAnswer extends Error {}

/** Whether asking again may help. A fault of this page is none of those. */
export function isPassing(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof Refusal && (error.status >= 500 || error.status === 429));
}

/** Told while the page waits because the link was asked for too much, and with undefined when it goes on. */
export const patience = { tell: (_seconds: number | undefined): void => {} };
/** What is only read is asked for again, so often; a change is for the person who makes it to send again. */
const readTries = 4;

/** @throws Refusal with the service's own sentence */
async function ask<T>(path: string, body?: object): Promise<T> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  for (let tries = body ? 1 : readTries; ; tries--) {
    const { answer, content } = await answered(new URL(path, location.href), init || undefined);
    if (content.success) return content.data as T;
    if (answer.status !== 429 || tries <= 1)
      throw new Refusal(answer.status, content.error?.message ?? 'The service did not answer.', content.error?.details);
    const seconds = Number(answer.headers.get('retry-after')) || 1;
    patience.tell(seconds);
    await new Promise((go) => setTimeout(go, seconds * 1000));
    patience.tell(undefined);
  }
}

interface Envelope {
  success: boolean;
  data: unknown;
  error?: { message?: string; details?: Record<string, unknown> };
}

/** @throws NoAnswer */
async function answered(url: URL, init: RequestInit | undefined): Promise<{ answer: Response; content: Envelope }> {
  try {
    const answer = await fetch(url, init);
    return { answer, content: (await answer.json()) as Envelope };
  } catch (cause) {
    throw new NoAnswer('The service does not answer.', { cause });
  }
}

export const readBook = () => ask<WaitingBook | Book>('book.json');
export const readChapter = (index: number) => ask<{ blocks: Block[] }>(`chapters/${index}`);
export const readLiveChapter = (index: number) =>
  ask<{ blocks: Pick<Block, 'id' | 'kind' | 'source' | 'target'>[] }>(`live/${index}`);
export const readPlaces = (term: number) => ask<{ places: Place[] }>(`terms/${term}`);
export const findPassages = (query: string) =>
  ask<{ found: Passage[]; more: boolean }>(`search?q=${encodeURIComponent(query)}`);
export const sendCorrection = (correction: { block_id: string; source: string; target: string; before: string }) =>
  ask<CorrectionResult>('corrections', correction);
export const sendApproval = (approval: { block_id: string; approved: boolean }) =>
  ask<{ approved: boolean }>('approvals', approval);
export const readHistory = (blockId: string) => ask<ParagraphHistory>(`corrections/${blockId}`);
export const sendTermFix = (fix: { source: string; from: string; to: string }) =>
  ask<{ changed: number }>('terms', fix);
export const makeFile = (fileId: string) => ask<{ file_name: string }>(`files?file_id=${fileId}`, {});
