/**
 * How servers say that they will not, cannot or could not: as data. The first row that fits decides. Words come before the status,
 * because statuses lie. Refusals come as 200, 400, 403 and 429, an account in arrears as 429, a prompt that is too long as 403.
 */
import type { EngineFaultKind } from '../engine-error.ts';
import { jsonOf } from '../json-value.ts';

export interface ProviderFault {
  kind: EngineFaultKind;
  /** Tokens of the whole window, where the server tells them. */
  windowTokens?: number;
  /** Tokens of the prompt, as the server counts them. */
  promptTokens?: number;
  /** The most tokens that an answer may have. */
  ceilingTokens?: number;
  /** Values that the parameter may have. */
  allowed?: string[];
}

/** The first words that fit decide. A group of the words that is named as a field of `ProviderFault` is its number. */
interface FaultRow {
  kind: EngineFaultKind;
  words: RegExp;
  /** Only with this status. */
  status?: number;
}

function rowsOf(kind: EngineFaultKind, ...all: RegExp[]): FaultRow[] {
  return all.map((words) => ({ kind, words }));
}

/** About the text, money and load: with any status. */
const textRows: readonly FaultRow[] = [
  ...rowsOf(
    'refused',
    // OpenAI, Azure, and what speaks like them.
    /code=(?:invalid_prompt|content_policy_violation|content_filter|ResponsibleAIPolicyViolation)\b/iu,
    /type=(?:content_filter|content_policy_violation|refusal)\b/iu,
    /prompt was flagged|rejected as a result of our safety system|content management policy/iu,
    // Anthropic.
    /output blocked by content filtering/iu,
    // Gemini, also through proxies that answer 429.
    /blockReason|BlockedReason|blocked: prompt|PROHIBITED_CONTENT|blocked (?:due to|by|for) (?:safety|prohibited)/iu,
    // DeepSeek, Qwen, GLM, Kimi, Qianfan.
    /content exists risk/iu,
    /data_?inspection_?failed|(?:input|output)(?: text)? data may contain inappropriate/iu,
    /code=1301\b|不安全或敏感内容|敏感内容/iu,
    /considered high risk|unsafe_request/iu,
    // OpenRouter, xAI, Bedrock, LiteLLM.
    /requires moderation|input was flagged|usage guidelines|guardrail_intervened|content_filtered/iu,
    /ContentPolicyViolationError/u,
  ),
  { kind: 'refused', words: /content_filter|content_policy|\bsafety\b/iu, status: 400 },
  ...rowsOf('rate-limited', /in_flight_budget_exhausted/iu),
  ...rowsOf(
    'spend-limit',
    /enforced_spend_limit_reached|insufficient_quota|billing_(?:error|hard_limit)/iu,
    /quotaId=\S*PerDay/iu,
    /code=(?:1113|1304|1308|1310)\b|欠费|余额不足/iu,
    /Arrearage|account is in good standing|Throttling\.AllocationQuota|exceeded_current_quota/iu,
    /code=(?:QUOTA_|BILLING_)\w+/u,
  ),
  ...rowsOf(
    'rate-limited',
    /code=(?:1302|1303|1313)\b|Throttling\.RateQuota|limit_requests|too many tokens,? please wait/iu,
  ),
  ...rowsOf(
    'overloaded',
    /code=(?:1305|1312)\b|overloaded|capacity_exceeded|insufficient_system_resource|server busy|Loading model/iu,
  ),
  ...rowsOf(
    'too-long',
    /maximum context length is (?<windowTokens>\d+) tokens.{0,80}?requested (?:about )?\d+ (?:output )?tokens \((?<promptTokens>\d+)/isu,
    /maximum context length is (?<windowTokens>\d+) tokens.{0,200}?(?:contains|has) (?:at least )?(?<promptTokens>\d+) input tokens/isu,
    /maximum context length (?:is|of) (?<windowTokens>\d+)/iu,
    /exceed context limit: (?<promptTokens>\d+) \+ \d+ > (?<windowTokens>\d+)/iu,
    /prompt is too long: (?<promptTokens>\d+) tokens > (?<windowTokens>\d+) maximum/iu,
    /input token count \((?<promptTokens>\d+)\) exceeds the maximum number of tokens allowed \((?<windowTokens>\d+)\)/iu,
    /Range of input length should be \[1, ?(?<windowTokens>\d+)\]/iu,
    /exceeded model token limit:? (?<windowTokens>\d+) \(requested: \d+\)/iu,
    /Prompt contains (?<promptTokens>\d+) tokens.{0,80}?with (?<windowTokens>\d+) maximum context length/isu,
    /maximum prompt length is (?<windowTokens>\d+) but the request contains (?<promptTokens>\d+) tokens/iu,
    /current length is (?<promptTokens>\d+) while limit is (?<windowTokens>\d+)/iu,
    /n_prompt_tokens=(?<promptTokens>\d+)[\s\S]*?n_ctx=(?<windowTokens>\d+)/iu,
    /exceeds the available context size|exceed_context_size_error/iu,
    /prompt too long; exceeded (?:max )?context length by \d+ tokens/iu,
    /tokens to keep from the initial prompt is greater than the context length/iu,
    /max_tokens must be at least 1, got -\d+/iu,
    /context_length_exceeded|exceeds? (?:the )?context window|input tokens exceed|context window exceeds limit|longer than the model's context length/iu,
    /code=1261\b|Prompt 超长|Prompt exceeds max length|Input token length too long|tokens_too_long|characters_too_long/iu,
    /input is too long for requested model|request payload size exceeds|request_too_large|maximum allowed input length/iu,
    /reduce the length of the messages or completion|ContextWindowExceededError/iu,
    // Together says it with a 403.
    /inputs? tokens? \+ max_new_tokens|max_tokens over .{0,20}window/iu,
  ),
  ...rowsOf(
    'parameter',
    /max_tokens: \d+ > (?<ceilingTokens>\d+), which is the maximum/iu,
    /supports at most (?<ceilingTokens>\d+) completion tokens/iu,
    /range of max_(?:completion_)?tokens (?:should be|is) \[\d+, ?(?<ceilingTokens>\d+)\]/iu,
    /max_(?:completion_)?tokens`?'? must be less than or equal to `?(?<ceilingTokens>\d+)/iu,
    /maximum value, expected a value <= (?<ceilingTokens>\d+)/iu,
    /maximum output tokens \((?<ceilingTokens>\d+)\)/iu,
    /max_?(?:output_?|completion_?)?tokens.{0,80}?\[1, ?(?<ceilingTokens>\d+)\]/iu,
  ),
];

/** About the request: where its status says so. */
const requestRows: readonly FaultRow[] = [
  ...rowsOf(
    'rejected',
    /invalid_api_key|incorrect api key|authentication_error|code=1121\b/iu,
    /model_not_found|model `?'?"?[\w./:-]{1,80}"?'?`? (?:does not exist|not found|is not found)|no such model|invalid model/iu,
  ),
  ...rowsOf(
    'parameter',
    /code=(?:unsupported_parameter|unsupported_value|unknown_parameter|invalid_parameter_error)/iu,
    /(?:unknown|unsupported|unrecognized|unexpected|invalid|deprecated|extra)[\w ]{0,24}(?:parameter|field|argument|name|keyword|propert)/iu,
    /extra inputs are not permitted|extra_forbidden|UnsupportedParamsError|does not support parameters/iu,
    /(?:is|are) (?:not supported|not allowed|deprecated|not available|unsupported)|does not support|not permitted/iu,
    /invalid temperature|only the default|only \d+(?:\.\d+)? is allowed|must be set to (?:false|true)|must be one of|must be '|unknown variant/iu,
    /code=121[045]\b|contain the word 'json'|contain the word "json"/iu,
  ),
];

/** Money in words that also mean a passing limit: only where the server does not say when to come back. */
const sayMoney = /insufficient[ _]balance|billing|credit balance|payment required|spend(?:ing)? limit/iu;

const requestStatuses = new Set([400, 404, 422]);

export function classifyFault(complaint: Complaint, asksToWait: boolean): ProviderFault {
  const { status = 200, words } = complaint;
  const rows = requestStatuses.has(status) || status < 400 ? [...textRows, ...requestRows] : textRows;
  for (const row of rows) {
    const match = row.status === undefined || row.status === status ? row.words.exec(words) : null;
    if (match === null) continue;
    return { kind: row.kind, ...numbersOf(match), ...(row.kind === 'parameter' ? allowedIn(words) : {}) };
  }
  return { kind: kindByStatus(status, words, asksToWait) };
}

function kindByStatus(status: number, words: string, asksToWait: boolean): EngineFaultKind {
  if (status === 402) return 'spend-limit';
  // Gemini reports a plain per-minute limit like a used-up plan, but with a time to come back.
  if (status === 429)
    return !asksToWait && (sayMoney.test(words) || /exceeded your current quota/iu.test(words))
      ? 'spend-limit'
      : 'rate-limited';
  if (status >= 400 && status < 500 && sayMoney.test(words)) return 'spend-limit';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'too-long';
  if (status === 401 || status === 403 || status === 404 || status === 405 || status === 407) return 'rejected';
  if (status === 409 || status === 425 || status === 498 || status >= 500) return 'overloaded';
  return status >= 400 ? 'bad-input' : 'malformed';
}

function numbersOf({ groups = {} }: RegExpExecArray): Partial<ProviderFault> {
  return Object.fromEntries(Object.entries(groups).map(([name, digits]) => [name, Number(digits)]));
}

/** "Supported values are: 'none', 'low' and 'high'." */
function allowedIn(words: string): { allowed?: string[] } {
  const [, list] =
    /(?:supported values are|must be one of|allowed values(?: are)?|expected one of)[: ]+([^.\n]{1,300})/iu.exec(
      words,
    ) ?? [];
  const allowed =
    list === undefined ? [] : [...list.matchAll(/['"`]([\w-]{1,40})['"`]/gu)].map(([, value]) => value ?? '');
  return allowed.length === 0 ? {} : { allowed };
}

type Finish = 'complete' | 'cut' | 'window' | 'refused' | 'overloaded' | 'unknown';

/** How an answer of 200 ended, in the words of its server. */
export function classifyFinish(reason = ''): Finish {
  const word = reason.toLowerCase().replaceAll('-', '_');
  return finishes.find(([, words]) => words.split(' ').includes(word))?.[0] ?? 'unknown';
}

const finishes: readonly (readonly [Finish, string])[] = [
  ['complete', 'stop end_turn stop_sequence eos'],
  ['cut', 'length max_tokens model_length'],
  ['window', 'model_context_window_exceeded'],
  ['refused', 'content_filter content_filtered guardrail_intervened refusal sensitive safety recitation language'],
  ['refused', 'blocklist prohibited_content spii other'],
  ['overloaded', 'insufficient_system_resource'],
];

/** What a server said instead of an answer: the parts of its body that are its own words, and none that may quote ours. */
export interface Complaint {
  status: number | undefined;
  /** Codes, types, names of parameters and sentences, joined. */
  words: string;
  /** The field of the request that it names. */
  parameter: string | undefined;
  /** An answer that the server made and then found invalid itself, as Groq does. */
  answer: string | undefined;
}

export function readComplaint(status: number | undefined, body: string): Complaint {
  const value = jsonOf(body);
  if (value === undefined || typeof value === 'string')
    return { status, words: body.slice(0, maxCharacters), parameter: undefined, answer: undefined };
  const words: string[] = [];
  let parameter: string | undefined;
  let answer: string | undefined;
  const read = (inner: unknown, name: string, depth: number): void => {
    if (depth > 6) return;
    if (typeof inner === 'string' || typeof inner === 'number') {
      if (name === 'failed_generation') answer = String(inner);
      else if (ownWords.has(name))
        words.push(name === 'message' || name === 'msg' ? String(inner) : `${name}=${inner}`);
      if (name === 'param' && typeof inner === 'string') parameter ??= inner;
    } else if (Array.isArray(inner)) {
      // As validators in Python say it: ["body", "stream_options"].
      if (name === 'loc') parameter ??= inner.filter((part) => part !== 'body').join('.');
      for (const one of inner.slice(0, 20)) read(one, name, depth + 1);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, own] of Object.entries(inner)) if (!quotes.has(key)) read(own, key, depth + 1);
    }
  };
  read(value, '', 0);
  return { status, words: words.join('\n').slice(0, maxCharacters), parameter: parameter || undefined, answer };
}

const maxCharacters = 4_000;
const ownWords = new Set(
  'code type status message msg detail error reason reasons param loc title finish_reason stop_reason quotaId error_code blockReason limit_source n_ctx n_prompt_tokens retryDelay next_flush_time request_id_type raw'.split(
    ' ',
  ),
);
/** What holds the request, or a part of it. */
const quotes = new Set(['input', 'ctx', 'prompt', 'messages', 'flagged_input', 'requestBodyValues']);
