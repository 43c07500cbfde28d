/** How one provider speaks, refuses, overflows, complains, thinks and limits: each file of `animals` is one, made from what is known about it. */

/** What every animal can be told to do. */
export const behaviours = [
  'plain',
  'refuses one paragraph',
  'window too small',
  'unknown parameter',
  'thinks 1,500 tokens',
  'drifts in format',
  'limits by header',
  'cut stream',
] as const;

export type Behaviour = (typeof behaviours)[number];

/** A status with what goes with it, instead of an answer. */
export interface ErrorReply {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
  /** Sent as an event in a stream that began with 200. */
  isEvent?: boolean;
}

export interface Overflow {
  windowTokens: number;
  promptTokens: number;
  /** What the request allows for the answer. */
  answerTokens: number;
}

export interface Animal {
  name: string;
  /** Each has a language of its own, by which its tasks are routed to it. */
  targetLang: string;
  protocol: 'chat' | 'messages' | 'gemini' | 'ollama';
  /** Its entry in the file of engines, without name and address. */
  engine: { kind: string; model: string; prices: Prices } & Record<string, unknown>;
  /** Behind the address of the zoo and the name of the animal. */
  basePath: string;
  /** A text that it will not have: an error, or an answer that ends this way. */
  refusal: ErrorReply | { finish: string; isPartial?: boolean };
  /**
   * A prompt that is too long. `cut`: the head is dropped without a word. `counts`: what the request allows for the answer counts, too.
   */
  overflow: { counts: 'prompt' | 'prompt and answer'; reply: ((overflow: Overflow) => ErrorReply) | 'cut' };
  /** Something that we send and that it does not know. */
  unknown: {
    path: string;
    reply: (value: unknown) => ErrorReply /** Values that it knows. */;
    allows?: (value: unknown) => boolean;
  };
  /** Where thoughts show: in a field, in tags inside of the text, or nowhere. */
  thoughts: 'reasoning_content' | 'reasoning' | 'tags' | 'closing tag' | 'parts' | 'hidden';
  /** What is left of its limit, with every answer; and how it refuses when nothing is. */
  limits: { headers?: (left: LeftOver) => Record<string, string>; reply: (left: LeftOver) => ErrorReply };
  /** Answers that tell about the server, by path behind the base. */
  facts?: Record<string, (windowTokens: number) => object>;
  /** Tokens of a prompt that it takes from its cache, of those it has seen before. */
  caches?: (seenTokens: number) => number;
}

export interface Prices {
  input: number;
  cached_input?: number;
  cache_write?: number;
  output: number;
}

export interface LeftOver {
  requests: number;
  resetMs: number;
  nowMs: number;
}

export function openAiError(status: number, message: string, more: object = {}): ErrorReply {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } } };
}

/** As OpenAI, Azure, Groq, Mistral and many others tell it. */
export function usualLimitHeaders({ requests, resetMs }: LeftOver): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': '3',
    'x-ratelimit-remaining-requests': String(requests),
    'x-ratelimit-reset-requests': `${resetMs}ms`,
  };
}

/** Blocks of 64 tokens, as most of them count. */
export function cachesBlocks(leastTokens: number): (seenTokens: number) => number {
  return (seenTokens) => (seenTokens < leastTokens ? 0 : Math.floor(seenTokens / 64) * 64);
}
