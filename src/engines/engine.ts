/**
 * The one interface over everything that can translate: a model behind HTTP, a neural model on the CPU, the sandbox.
 * An engine does one call and reports what happened; retrying, routing, checking and repairing are not its business.
 */
import type { Gender, TermType } from '../term.ts';
export interface Engine {
  /** Unique among the configured engines; for logs and metrics, never shown to partners. */
  readonly name: string;
  /** Changes when the same request may give another answer (model, prompt wording): part of cache keys. */
  readonly revision?: string;
  readonly capabilities: EngineCapabilities;
  /** @throws EngineError */
  translate(request: TranslateRequest, signal: AbortSignal): Promise<TranslateResult>;
  /** Absent when the engine has no means to find terms. @throws EngineError */
  extractTerms?(request: ExtractRequest, signal: AbortSignal): Promise<ExtractResult>;
  /** Why the engine cannot work on this machine; it then serves no language. */
  readonly problem?: string;
  /** Ends what the engine keeps running, such as a process of its own. */
  close?(): void;
}

/** What a reader may expect: `draft` is to be read beside the source, `sandbox` is no translation at all. */
export type TranslationQuality = 'standard' | 'draft' | 'sandbox';

/** Behaviour as data, so that nothing ever compares model names. */
export interface EngineCapabilities {
  /** Undefined = standard. */
  quality?: Exclude<TranslationQuality, 'standard'>;
  /** False for an engine without a prompt: it receives terms, context and style but cannot read them. */
  followsInstructions: boolean;
  /** Inline tags may be sent. False: the pipeline sends clean text and projects the tags back. */
  keepsInlineTags: boolean;
  /** Sentences of its instructions, which never belong into a translation. */
  instructions?: readonly string[];
  /** Most source characters in one call; longer segments are split. */
  maxInputCharacters: number;
  /** Ceiling of simultaneous calls from one process. */
  maxConcurrency: number;
  /** It works on this machine: a second call for the same text would only slow down the first. */
  local?: true;
  /** Codes as in `languages.ts`; undefined = any pair. */
  sourceLanguages?: readonly string[];
  targetLanguages?: readonly string[];
}

export interface TextBlock {
  /** Unique within the request. */
  id: string;
  text: string;
}

export type { Gender, TermType };

/** A frozen decision on how a term is rendered, as an engine sees it. */
export interface TermHint {
  source: string;
  target: string;
  type?: TermType;
  gender?: Gender;
  note?: string;
}

export interface TranslateRequest {
  sourceLang: string;
  targetLang: string;
  blocks: readonly TextBlock[];
  /** Terms that occur in these blocks. */
  terms: readonly TermHint[];
  /** Characters of the book with their gender, for passages that name nobody. */
  roster: readonly TermHint[];
  context: {
    /** At most 500 characters on the whole book. */
    synopsis?: string;
    /** At most 200 characters on this chapter. */
    chapterDigest?: string;
    /** Source paragraphs on both sides; never to be translated. */
    before: readonly string[];
    after: readonly string[];
    /** How the direct neighbours were translated, where they were earlier; never to be translated again. */
    translatedBefore?: string;
    translatedAfter?: string;
  };
  style?: string;
  /** What was wrong with the last answer, in words the engine can act on. */
  fault?: string;
}

export interface TranslateResult {
  /** By block id. Ids that were not asked for have been dropped; missing ones are simply absent. */
  translations: ReadonlyMap<string, string>;
  finish: 'complete' | 'truncated' | 'refused';
  usage: EngineUsage;
  /** Set by the catalog when the engine that answered makes less than a standard translation. */
  quality?: EngineCapabilities['quality'];
  /** Set by the catalog when the engine that answered got the blocks without their inline tags. */
  tagsLeftOut?: boolean;
}

export interface EngineUsage {
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens` served from the provider's prefix cache. */
  cachedInputTokens: number;
}

export interface ExtractRequest {
  sourceLang: string;
  targetLang: string;
  /** A stretch of source text, at most about 10,000 tokens. */
  text: string;
  /** True: `text` is passages from the whole book that were chosen for the candidates; nothing else is asked about. */
  passages?: boolean;
  /** Candidates mined by statistics from the whole range that occur in `text`. */
  candidates: readonly string[];
  /** Words that may be names or not: only for an engine that understands the passages. */
  doubtful?: readonly string[];
  /** Decisions already taken (supplied by the partner): to be respected, not repeated. */
  known: readonly TermHint[];
  /** What happened in the volumes before, at most 1,500 characters. */
  story?: string;
}

export interface ExtractedTerm {
  source: string;
  target: string;
  type: TermType;
  gender: Gender;
  aliases: string[];
}

export interface ExtractResult {
  terms: ExtractedTerm[];
  /** At most 200 characters on what happens in `text`, in the target language; empty when the engine gives none. */
  digest: string;
  finish: TranslateResult['finish'];
  usage: EngineUsage;
}

/** `spend-limit` and `rejected` (4xx) are never retried on the same engine. */
export type EngineFaultKind =
  | 'rate-limited'
  | 'overloaded'
  | 'transport'
  | 'timeout'
  | 'malformed'
  | 'spend-limit'
  | 'rejected'
  | 'refused';

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly kind: EngineFaultKind;
  /** From Retry-After: a floor, however long. */
  readonly retryAfterMs: number | undefined;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The configured name of the engine; for operators only. */
  engine: string | undefined;

  constructor(
    kind: EngineFaultKind,
    message: string,
    options: { retryAfterMs?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }

  get retryable(): boolean {
    return this.kind !== 'spend-limit' && this.kind !== 'rejected' && this.kind !== 'refused';
  }
}
