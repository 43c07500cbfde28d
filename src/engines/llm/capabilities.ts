/**
 * What is known about one model behind one endpoint: what the operator has set, and what its answers have taught. Everything learned
 * makes the engine ask for less (a simpler format, a smaller window, one parameter fewer), so that the next call goes through.
 */
import type { LearnedLimits } from '../engine.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import { type AnswerFormat, answerFormats, type FormatName, formatNames } from './answer-formats.ts';
import { dialectOf, type Effort, thoughtTokens } from './dialects.ts';

/** As it is stored. */
export interface Learned {
  format?: FormatName;
  /** An answer in the format was readable. */
  isProven?: boolean;
  /** Formats whose mode the server does not know. */
  unknownModes?: FormatName[];
  /** Fields of the request that the server does not want, as paths. */
  dropped?: string[];
  /** The server's name for the limit of an answer. */
  limitName?: string;
  /** Who the rules come from: not every server knows a developer, not every model a system. */
  rulesFrom?: 'system' | 'user';
  effort?: Effort | 'unset';
  refusedEfforts?: (Effort | 'unset')[];
  /** The most tokens of an answer. */
  ceilingTokens?: number;
  /** The most tokens of a prompt and its answer together. */
  windowTokens?: number;
  /** The most tokens of text in one call. */
  sourceTokens?: number;
  /** How many times the usual room an answer needs, because thoughts take the rest. */
  answerFactor?: number;
  /** Tokens that this server counts for one that we estimate. */
  tokenRatio?: number;
  /** What kind of server said so. */
  server?: string;
}

/** A model that breaks a format so often in a row does not know it; sooner where it has never kept any. */
const breaksToStepDown = 6;
const breaksOfTheUnproven = 3;
/** So many rejections in a row without an answer between them are no accident of a text. */
const rejectionsToGiveUp = 3;
/** Where any text passes for an answer, the first one proves nothing. */
const answersToTrust = 16;
const raisedAnswerFactor = 4;
const leastSourceTokens = 40;

export class Capabilities implements LearnedLimits {
  readonly key: string;
  readonly #config: LlmEngineConfig;
  #learned: Learned = {};
  #breaks = 0;
  #rejections = 0;
  #readAnswers = 0;
  #revision = 0;

  constructor(config: LlmEngineConfig, key: string) {
    this.#config = config;
    this.key = key;
  }

  get learned(): Readonly<Learned> {
    return this.#learned;
  }

  /**
   * Rises when the next call will be another one. Calls go out side by side: what one of them is told about an older way of asking has
   * been learned already.
   */
  get revision(): number {
    return this.#revision;
  }

  get isProven(): boolean {
    return this.#learned.isProven === true;
  }

  get format(): AnswerFormat {
    return answerFormats[this.#learned.format ?? firstFormats[this.#config.structuredOutput]];
  }

  /** `unset`: nothing is said about thinking, and the provider's default holds. */
  get effort(): Effort | 'unset' {
    const { effort, server } = this.#learned;
    return effort ?? this.#config.reasoning ?? dialectOf(this.#config, server).usualEffort ?? 'unset';
  }

  get windowTokens(): number | undefined {
    const { kind, contextTokens = kind === 'ollama' ? usualOllamaWindow : undefined } = this.#config;
    const known = [contextTokens, this.#learned.windowTokens].filter((tokens) => tokens !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** The limit of an answer that needs so many tokens at most, beside a prompt of so many. */
  answerLimit(neededTokens: number, promptTokens: number): number {
    const { maxOutputTokens } = this.#config;
    const wanted = maxOutputTokens ?? neededTokens;
    const room =
      this.windowTokens === undefined ? Number.POSITIVE_INFINITY : this.windowTokens - promptTokens - spareTokens;
    const { effort } = this;
    const thoughts = effort === 'unset' || maxOutputTokens !== undefined ? 0 : thoughtTokens[effort];
    const raised = (wanted + thoughts) * (this.#learned.answerFactor ?? 1);
    return Math.max(leastAnswerTokens, Math.floor(Math.min(raised, this.#learned.ceilingTokens ?? raised, room)));
  }

  /** Tokens as the server counts them, of what we estimate. */
  asCounted(estimatedTokens: number): number {
    return Math.ceil(estimatedTokens * (this.#learned.tokenRatio ?? cautiousTokenRatio));
  }

  /** @param isCertain false for the answer to a single line: any text passes for it */
  readable(format: AnswerFormat, isCertain: boolean): void {
    this.#rejections = 0;
    if (isCertain) this.#breaks = 0;
    if (this.isProven || this.format !== format) return;
    this.#readAnswers += 1;
    if (isCertain || this.#readAnswers >= answersToTrust) this.#note({ isProven: true });
  }

  /** @returns true when the format is another one by now, so that asking again is worth it */
  unreadable(format: AnswerFormat): boolean {
    if (format !== this.format) return true;
    this.#breaks += 1;
    if (this.#breaks < this.#mostBreaks || format.simpler === undefined) return false;
    this.#breaks = 0;
    return this.#learn({ format: format.simpler, isProven: false });
  }

  /** The simplest format was broken as often as any other: there is nothing left to try, and nothing true was learned. */
  isHopeless(): boolean {
    if (this.format.simpler !== undefined || this.#breaks < this.#mostBreaks) return false;
    this.forget();
    return true;
  }

  /** @returns true when it is no accident any more */
  rejected(): boolean {
    this.#rejections += 1;
    return this.#rejections >= rejectionsToGiveUp;
  }

  /** The server does not know the mode of a format. @param allowed modes that it knows */
  modeUnknown(format: AnswerFormat, allowed: readonly string[] = []): boolean {
    if (format !== this.format) return true;
    const unknownModes = [...new Set([...(this.#learned.unknownModes ?? []), format.name])];
    const wanted = allowed.includes('json_schema') ? 'schema' : format.withoutMode;
    const next = wanted !== undefined && unknownModes.includes(wanted) ? 'unforced' : wanted;
    if (next === undefined || format.mode === 'text') return false;
    return this.#learn({ format: next, unknownModes });
  }

  drop(path: string): boolean {
    const { dropped = [] } = this.#learned;
    if (dropped.includes(path)) return false;
    return this.#learn({ dropped: [...dropped, path] });
  }

  /** The other name of the limit of an answer, and without any when neither is known. */
  renameLimit(current: string): boolean {
    const other = current === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    if (this.#learned.limitName !== undefined) return this.drop(current);
    return this.#learn({ limitName: other });
  }

  moveRules(to: 'system' | 'user'): boolean {
    if (this.#learned.rulesFrom === to) return false;
    return this.#learn({ rulesFrom: to });
  }

  /** @param allowed efforts in the words of the server */
  effortRefused(allowed: readonly string[] = []): boolean {
    const refusedEfforts = [...(this.#learned.refusedEfforts ?? []), this.effort];
    const known: (Effort | 'unset')[] = [
      ...(allowed.includes('none') ? (['off'] as const) : []),
      ...(allowed.length === 0 || allowed.includes('low') ? (['low'] as const) : []),
      'unset',
    ];
    const next = known.find((effort) => !refusedEfforts.includes(effort));
    if (next === undefined || this.effort === 'unset') return false;
    return this.#learn({ effort: next, refusedEfforts });
  }

  /** Thoughts left no room for the answer: less of them first, then more room, once. */
  thoughtsTookAll(): boolean {
    const { refusedEfforts = [], answerFactor } = this.#learned;
    if (this.effort !== 'low' && this.effort !== 'off' && !refusedEfforts.includes('low')) {
      return this.#learn({ effort: 'low' });
    }
    if (answerFactor !== undefined) return false;
    return this.#learn({ answerFactor: raisedAnswerFactor });
  }

  ceiling(tokens: number): boolean {
    return this.#lower('ceilingTokens', tokens);
  }

  window(tokens: number): boolean {
    return tokens < (this.windowTokens ?? Number.POSITIVE_INFINITY) && this.#lower('windowTokens', tokens);
  }

  /** So much text at once was too much, and the server did not say how much is not. */
  halve(sourceTokens: number): boolean {
    const half = Math.max(leastSourceTokens, Math.floor(sourceTokens / 2));
    return half < sourceTokens && this.#lower('sourceTokens', half);
  }

  /** What kind of server it is, when it says so itself. */
  identified(server: string, windowTokens: number | undefined): void {
    this.#learn({ server, ...(windowTokens === undefined ? {} : { windowTokens }) });
    const isFree = this.#config.isFormatChosen !== true && this.#learned.format === undefined;
    if (isFree && serversWithSchema.has(server)) this.#learn({ format: 'schema' });
  }

  /** From prompts so short that no server cuts them. */
  counted(estimatedTokens: number, countedTokens: number): void {
    if (estimatedTokens > certainlyWholeTokens || estimatedTokens < 100 || countedTokens <= 0) return;
    const ratio = clampRatio(countedTokens / estimatedTokens);
    const formerRatio = this.#learned.tokenRatio ?? ratio;
    this.#note({ tokenRatio: clampRatio(formerRatio * 0.8 + ratio * 0.2) });
  }

  /** The server told the tokens of a prompt that was not cut. */
  countedExactly(estimatedTokens: number, countedTokens: number): void {
    if (estimatedTokens > 0 && countedTokens > 0)
      this.#note({ tokenRatio: clampRatio(countedTokens / estimatedTokens) });
  }

  /** Whether a prompt was cut by the server without a word: it counted far fewer tokens than there were. */
  wasCutInSilence(estimatedTokens: number, countedTokens: number): boolean {
    if (countedTokens <= 0 || estimatedTokens <= certainlyWholeTokens) return false;
    const { tokenRatio } = this.#learned;
    return countedTokens < estimatedTokens * (tokenRatio === undefined ? 0.5 : tokenRatio * 0.75);
  }

  current(): Readonly<Record<string, unknown>> | undefined {
    return Object.keys(this.#learned).length === 0 ? undefined : { ...this.#learned };
  }

  restore(stored: Readonly<Record<string, unknown>>): void {
    const { format } = stored as Learned;
    // A format of another version is no format.
    if (format === undefined || formatNames.includes(format)) this.#learned = { ...(stored as Learned) };
  }

  forget(): void {
    this.#learned = {};
    this.#readAnswers = 0;
    this.#breaks = 0;
    this.#rejections = 0;
  }

  inWords(stored?: Readonly<Record<string, unknown>>): string[] {
    const known = (stored as Learned | undefined) ?? this.#learned;
    const { dropped = [], effort, format } = known;
    return [
      known.server && `the server is ${known.server}`,
      format && formatNames.includes(format) && `answers are asked for as ${answerFormats[format].inWords}`,
      known.windowTokens && `a window of ${inThousands(known.windowTokens)} tokens`,
      known.sourceTokens && `at most ${inThousands(known.sourceTokens)} tokens of text in one call`,
      known.ceilingTokens && `at most ${inThousands(known.ceilingTokens)} tokens in one answer`,
      effort && (effort === 'unset' ? 'nothing is said about thinking' : `thinking is ${effort}`),
      known.answerFactor && `answers get ${known.answerFactor} times the room, for thoughts`,
      known.limitName && `the limit of an answer is called ${known.limitName}`,
      known.rulesFrom && `the rules come from the ${known.rulesFrom}`,
      dropped.length > 0 && `not sent: ${dropped.join(', ')}`,
    ].filter((line) => typeof line === 'string');
  }

  get #mostBreaks(): number {
    return this.isProven ? breaksToStepDown : breaksOfTheUnproven;
  }

  /** @returns that the next call will be another one */
  #learn(change: Learned): true {
    this.#note(change);
    this.#revision += 1;
    return true;
  }

  /** Limits only fall. */
  #lower(limit: 'ceilingTokens' | 'windowTokens' | 'sourceTokens', tokens: number): boolean {
    return tokens < (this.#learned[limit] ?? Number.POSITIVE_INFINITY) && this.#learn({ [limit]: tokens });
  }

  /** What does not change how the next call is asked. */
  #note(change: Learned): void {
    this.#learned = { ...this.#learned, ...change };
  }
}

/** What we ask Ollama for: enough for our longest prompt and its answer. More costs memory of the graphics card. */
export const usualOllamaWindow = 8_192;
/** No server in use has a smaller window. */
const certainlyWholeTokens = 1_500;
const cautiousTokenRatio = 1.15;
const spareTokens = 16;
const leastAnswerTokens = 64;

const firstFormats = { schema: 'schema', json: 'json', none: 'unforced' } as const;
const serversWithSchema: ReadonlySet<string> = new Set(['vLLM', 'llama.cpp', 'LM Studio', 'Ollama']);

function clampRatio(ratio: number): number {
  return Math.round(Math.min(3, Math.max(0.4, ratio)) * 100) / 100;
}

function inThousands(tokens: number): string {
  return tokens.toLocaleString('en');
}
