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
  translate(request: TranslateRequest, signal: AbortSignal, call?: CallNotes): Promise<TranslateResult>;
  /** Absent when the engine has no means to find terms. @throws EngineError */
  extractTerms?(request: ExtractRequest, signal: AbortSignal, call?: CallNotes): Promise<ExtractResult>;
  /** Absent when the engine cannot settle how a book reads. @throws EngineError */
  writeSheet?(request: SheetRequest, signal: AbortSignal, call?: CallNotes): Promise<SheetResult>;
  /** Absent when the engine cannot edit. @param request every block with its standing translation @throws EngineError */
  edit?(request: TranslateRequest, signal: AbortSignal, call?: CallNotes): Promise<EditResult>;
  /** Absent when the engine cannot judge translations. @throws EngineError */
  compare?(request: CompareRequest, signal: AbortSignal, call?: CallNotes): Promise<CompareResult>;
  /** The request in parts that the engine can take, as far as it knows by now; one part = as it is. */
  partsOf?(request: TranslateRequest): TranslateRequest[];
  /** Absent: nobody has said what it costs. */
  readonly prices?: EnginePrices;
  /** What may be spent in a day of UTC, in the currency of the prices. */
  readonly budgetPerDay?: number;
  /** False: the text is longer than the engine can read at once, as far as it knows by now. */
  canRead?(request: ExtractRequest): boolean;
  /** Finds out what a model can do, with two long calls. @throws EngineError */
  examine?(signal: AbortSignal): Promise<ModelTraits>;
  /** What it has found out about its server; absent for an engine that has nothing to find out. */
  readonly learned?: LearnedLimits;
  /** What is missing on this machine; the engine serves what it can without, or nothing. */
  readonly problem?: string;
  /** Ends what the engine keeps running, such as a process of its own. */
  close?(): void;
}

/** Money per million tokens. */
export interface EnginePrices {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
}

/** What goes with a call besides the request. */
export interface CallNotes {
  /** Whose call it is: for what a provider keeps per user or per book. */
  owner?: CallOwner;
  /** Told as soon as the server says what is left of its limits, long before the answer is complete. */
  onAllowances?(allowances: readonly RateAllowance[]): void;
  /** Told when words of the answer come, any number of times; never by an engine that does not stream. */
  onWords?(): void;
  /** Set by the engine where a call ends without an answer that has been billed nevertheless. */
  spent?: EngineUsage;
}

export interface CallOwner {
  account: string;
  task: string;
}

/** What may still be sent within a provider's limit, and when the limit starts anew. */
export interface RateAllowance {
  unit: 'requests' | 'tokens';
  remaining: number;
  resetMs: number;
}

/**
 * What an engine learns from its server: parameters to leave out, windows, ceilings, the format of answers. Kept per endpoint and model,
 * so that a restart or another process need not find it out again.
 */
export interface LearnedLimits {
  /** Endpoint and model. */
  readonly key: string;
  /** True once an answer was readable: until then a few calls go out at once, not all of them. */
  readonly isProven: boolean;
  /** As stored; undefined while nothing was learned. */
  current(): Readonly<Record<string, unknown>> | undefined;
  /** What this or another process has stored. */
  restore(stored: Readonly<Record<string, unknown>>): void;
  forget(): void;
  /** For an operator, one line each. @param stored instead of what this process knows */
  inWords(stored?: Readonly<Record<string, unknown>>): string[];
}

/** What a model can do, as two calls have shown. */
export interface ModelTraits {
  /** Such as vLLM, where a server says what it is. */
  server: string | undefined;
  /** How answers are asked for, in words. */
  format: string;
  windowTokens: number | undefined;
  /** Tokens of a prompt, as its server counted them or as we estimate them. */
  promptTokens: number;
  /** A word at the head of that prompt came back: nothing of it was cut. */
  isHeadRead: boolean;
  /** Why not, where the server has said so. */
  headFault: string | undefined;
  /** What it is asked for: `off`, `low`, … */
  effort: string;
  hasThoughts: boolean;
  /** Of the same prompt once more, the tokens that came from the cache. */
  cachedTokens: number;
}

/** What a reader may expect: `draft` is to be read beside the source, `sandbox` is no translation at all. */
export type TranslationQuality = 'standard' | 'draft' | 'sandbox';

/** Of a finished task. `refined`: a second engine has gone over a standard translation. */
export type TaskQuality = TranslationQuality | 'refined';

/** Behaviour as data, so that nothing ever compares model names. */
export interface EngineCapabilities {
  /** Undefined = standard. */
  quality?: Exclude<TranslationQuality, 'standard'>;
  /** Who stands behind it: what one provider refuses is worth asking another, and not the same once more. */
  provider?: string;
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
  /** What it serves; undefined = any pair. */
  pairs?: readonly EnginePairs[];
  /** A block's translation does not depend on the others of its call, so they cannot stand in each other's place. */
  blockByBlock?: true;
}

/** Every language of `source` into every other one of `target`, in codes as in `languages.ts`; absent = any. */
export interface EnginePairs {
  source?: readonly string[];
  target?: readonly string[];
  /** Served because the operator asks for it, and worse than the engine's other pairs. */
  experimental?: true;
}

/** Where the engine serves this pair; undefined where it does not. */
export function pairsFor(
  { pairs = [{}] }: Pick<EngineCapabilities, 'pairs'>,
  sourceLang: string,
  targetLang: string,
): EnginePairs | undefined {
  return pairs.find(
    ({ source, target }) => (source?.includes(sourceLang) ?? true) && (target?.includes(targetLang) ?? true),
  );
}

/** The pairs of an engine whose operator may have named languages. */
export function namedPairs(
  source: readonly string[] | undefined,
  target: readonly string[] | undefined,
): Pick<EngineCapabilities, 'pairs'> {
  if (source === undefined && target === undefined) return {};
  return { pairs: [{ ...(source === undefined ? {} : { source }), ...(target === undefined ? {} : { target }) }] };
}

/** `heading`: the title of a chapter or of the book; `caption`: also an entry of a list or a table. */
export type TextBlockKind = 'heading' | 'verse' | 'note' | 'caption';

export interface TextBlock {
  /** Unique within the request. */
  id: string;
  text: string;
  /** Absent: prose. */
  kind?: TextBlockKind;
  /** Sources of the request's terms that occur in it. */
  terms?: readonly string[];
  /** Its translation so far, of which no more shall change than its faults require. */
  standing?: string;
}

/** A frozen decision on how a term is rendered, as an engine sees it. */
export interface TermHint {
  source: string;
  target: string;
  type?: TermType;
  gender?: Gender;
  note?: string;
}

/** What holds for a whole book, the same in every call of its task: providers keep it in their caches. */
export interface BookBrief {
  /** How the partner wants it to read. */
  style?: string;
  /** What the partner wants the translator to know. */
  background?: string;
  /** What was settled before the first page, a line each, the most important first. */
  sheet?: readonly string[];
  /** At most 500 characters on the story. */
  synopsis?: string;
  /** Terms that every passage is told, the most frequent first. */
  core: readonly TermHint[];
}

export interface LanguagePair {
  sourceLang: string;
  targetLang: string;
}

export interface TranslateRequest extends LanguagePair {
  blocks: readonly TextBlock[];
  /** Absent: nothing is known of the book. */
  brief?: BookBrief;
  /** Terms that occur in these blocks. */
  terms: readonly TermHint[];
  /** Characters of the book with their gender, for passages that name nobody. */
  roster: readonly TermHint[];
  context: {
    /** At most 200 characters on this chapter. */
    chapterDigest?: string;
    /** Source paragraphs on both sides; never to be translated. */
    before: readonly string[];
    after: readonly string[];
    /** How the neighbours were translated, where they were earlier; never to be translated again. */
    translatedBefore?: readonly string[];
    translatedAfter?: readonly string[];
  };
  /** What was wrong with the last answer, in words the engine can act on. */
  fault?: string;
}

/** What every answer tells besides. */
interface EngineAnswer {
  finish: 'complete' | 'truncated' | 'refused';
  usage: EngineUsage;
}

export interface TranslateResult extends EngineAnswer {
  /** By block id. Ids that were not asked for have been dropped; missing ones are simply absent. */
  translations: ReadonlyMap<string, string>;
  /** Set by the catalog when the engine that answered makes less than a standard translation. */
  quality?: EngineCapabilities['quality'];
  /** Set by the catalog when the engine that answered got the blocks without their inline tags. */
  tagsLeftOut?: boolean;
  /** Set by the catalog: who stands behind the engine that answered, or refused. */
  provider?: string;
  /** Set by the catalog when the engine that answered translates each block by itself. */
  blockByBlock?: true;
  /** Set by the catalog: how many calls it took, with those for parts of it and those that taught the engine how to ask. */
  calls?: number;
}

export interface EngineUsage {
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens` served from the provider's prefix cache. */
  cachedInputTokens: number;
  /** Part of `inputTokens` written to that cache, where the provider bills it. */
  cacheWriteTokens?: number;
  /** The server never said: a stream that was cut, or a call that was cancelled. */
  isEstimated?: true;
}

/** Of a call that nobody bills by tokens. */
export const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

export interface ExtractRequest extends LanguagePair {
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

export interface ExtractResult extends EngineAnswer {
  terms: ExtractedTerm[];
  /** At most 200 characters on what happens in `text`, in the target language; empty when the engine gives none. */
  digest: string;
}

/** What a book's decisions are made from, before its first page is translated. */
export interface SheetRequest extends LanguagePair {
  /** The opening and stretches with dialogue, at most about 4,000 tokens. */
  text: string;
  /** The people and things that the book is about. */
  terms: readonly TermHint[];
  /** What is settled already, a line each. */
  known: readonly string[];
  style?: string;
  background?: string;
}

export interface SheetResult extends EngineAnswer {
  /** What was answered, unread: `translation/` bounds it. Undefined when it is no object. */
  fields: unknown;
}

/** A passage and two translations of it. */
export interface CompareRequest extends LanguagePair {
  /** Paragraphs, without inline tags. */
  source: readonly string[];
  first: readonly string[];
  second: readonly string[];
}

export interface CompareResult {
  /** Undefined when the answer says neither. */
  better: 'first' | 'second' | 'equal' | undefined;
  usage: EngineUsage;
}

export interface EditResult extends EngineAnswer {
  /** New texts by block id, of the changed blocks only. Undefined when nothing could be read. */
  changes: ReadonlyMap<string, string> | undefined;
}
