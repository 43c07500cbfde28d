import { APICallError } from 'ai';
import { EngineError } from '../engine-error.ts';
import { providerMessage } from '../provider-message.ts';
import type { AnswerFormat } from './answer-formats.ts';
import type { Capabilities } from './capabilities.ts';
import { type Complaint, classifyFault, type ProviderFault, readComplaint } from './provider-faults.ts';
import { retryAfterMs } from './rate-headers.ts';
import { fieldPaths } from './shape-request.ts';

export interface FailedCall {
  sent: SentCall;
  capabilities: Capabilities;
  /** What must not be quoted: keys, and the texts that were sent. */
  keys: readonly string[];
  texts: readonly string[];
}

/** Turns any error of a call into one of our kinds. Messages have the status and what the provider said, never book text or keys. */
export function callFault(error: unknown, call: FailedCall): EngineError {
  // The SDK wraps a fault of ours: an answer that was cut off.
  const ownFault = causesOf(error).find((cause) => cause instanceof EngineError);
  if (ownFault !== undefined) return ownFault;
  const answer = failedAnswer(error);
  if (answer !== undefined) return answeredFault(answer, call, error);
  const code = networkCode(error);
  const cause = outlineOf(error);
  const isUnanswered = APICallError.isInstance(error) && error.statusCode === undefined;
  if (code === undefined && !isUnanswered)
    return new EngineError('malformed', `unreadable answer: ${nameOf(error)}`, { cause });
  return new EngineError('transport', `connection failed: ${code ?? nameOf(error)}`, { cause });
}

/** The answer inside of a fault: Groq hands over what its model wrote when that is no valid JSON. */
export function answerInFault(error: unknown): string | undefined {
  const answer = failedAnswer(error);
  return answer && readComplaint(answer.status, answer.body).answer;
}

/** What the server answered instead of an answer. */
interface FailedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

function answeredFault({ status, headers, body }: FailedAnswer, call: FailedCall, cause?: unknown): EngineError {
  const { capabilities, sent } = call;
  const waitMs = retryAfterMs(headers, body, Date.now());
  const complaint = readComplaint(status, body);
  const fault = classifyFault(complaint, waitMs !== undefined);
  const adapted = adaptTo(fault, complaint, sent, capabilities);
  // A parameter that we cannot leave out is a fault of nobody knows what.
  const kind = fault.kind === 'parameter' && !adapted ? 'bad-input' : fault.kind;
  const isLasting = kind === 'bad-input' && capabilities.rejected();
  const said = providerMessage(body, call);
  const words = `answered ${status}${said === '' ? '' : `: ${said}`}`;
  return new EngineError(isLasting ? 'unusable' : kind, isLasting ? `${words} (to every call)` : words, {
    cause: cause === undefined ? undefined : outlineOf(cause),
    status,
    adapted,
    retryAfterMs: waitMs,
  });
}

/** A status of 400 and more, or an event in the middle of a stream that says what went wrong. */
function failedAnswer(error: unknown): FailedAnswer | undefined {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders = {}, responseBody = '' } = error;
    return status === undefined || status < 400 ? undefined : { status, headers: responseHeaders, body: responseBody };
  }
  if (typeof error !== 'object' || error === null || (error instanceof Error && !('data' in error))) return undefined;
  const event = error as { message?: unknown; statusCode?: unknown; code?: unknown; data?: unknown };
  if (typeof event.message !== 'string') return undefined;
  const status = [event.statusCode, event.code].map(Number).find((code) => code >= 400 && code < 600);
  return { status: status ?? 500, headers: {}, body: JSON.stringify({ error: { ...event, message: event.message } }) };
}

/** An error with its causes, from the outside in. */
function causesOf(error: unknown): object[] {
  const causes: object[] = [];
  for (let at = error; causes.length < 6 && typeof at === 'object' && at !== null; ) {
    causes.push(at);
    at = 'cause' in at ? at.cause : undefined;
  }
  return causes;
}

/** The system's own code among the causes, such as ECONNREFUSED or UND_ERR_SOCKET. */
function networkCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/u.test(cause.code))
      return cause.code;
    if (cause instanceof TypeError && /fetch failed|terminated/iu.test(cause.message) && !('cause' in cause))
      return cause.message;
  }
  return undefined;
}

/**
 * The parts of a foreign error that may go into a log: its name, the system's code and where it was thrown. Its message quotes
 * the server's answer, and servers quote the caller's key and text.
 */
function outlineOf(error: unknown): Error {
  const name = nameOf(error);
  const { message = '', stack = '' } = error instanceof Error ? error : {};
  const [before, ...frames] = stack.split(message || '\n');
  const known = before !== undefined && before.length < stack.length;
  return Object.assign(new Error(''), {
    name,
    code: networkCode(error),
    stack: known ? `${name}${frames.at(-1)}` : name,
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

// What an engine makes of a complaint: it leaves out what the server does not know, and asks for less than was too much.

/** The call that was complained about. */
export interface SentCall {
  format: AnswerFormat;
  /** Of the capabilities, when it was sent. */
  revision: number;
  /** The request as it went over the wire. */
  body: Readonly<Record<string, unknown>>;
  /** Our estimates. */
  promptTokens: number;
  sourceTokens: number;
}

/** @returns true when the next call will be another one */
function adaptTo(fault: ProviderFault, complaint: Complaint, sent: SentCall, capabilities: Capabilities): boolean {
  if (fault.kind !== 'too-long' && fault.kind !== 'parameter') return false;
  // Another call has taught the same: this one is asked again as it is asked by now.
  if (capabilities.revision > sent.revision) return true;
  if (fault.kind === 'too-long') return adaptWindow(fault, sent, capabilities);
  if (fault.ceilingTokens !== undefined) return capabilities.ceiling(fault.ceilingTokens);
  return adaptParameter(fault, complaint, sent, capabilities);
}

function adaptWindow(fault: ProviderFault, sent: SentCall, capabilities: Capabilities): boolean {
  const { windowTokens, promptTokens } = fault;
  if (promptTokens !== undefined) capabilities.countedExactly(sent.promptTokens, promptTokens);
  const isNew = windowTokens !== undefined && capabilities.window(windowTokens);
  return isNew || capabilities.halve(sent.sourceTokens);
}

function adaptParameter(
  fault: ProviderFault,
  complaint: Complaint,
  sent: SentCall,
  capabilities: Capabilities,
): boolean {
  const { words } = complaint;
  if (/\bdeveloper\b/iu.test(words) && rolesOf(sent.body).includes('developer'))
    return capabilities.moveRules('system');
  if (/system (?:role|message|prompt)s?\b.{0,40}not (?:supported|allowed)|(?:role|roles) must alternate/iu.test(words))
    return capabilities.moveRules('user');
  const path = namedPath(complaint, sent.body);
  if (path === undefined) return false;
  const leaf = path.split('.').at(-1) ?? path;
  if (limitFields.has(leaf)) return capabilities.renameLimit(leaf);
  if (reasoningFields.has(leaf)) return capabilities.effortRefused(fault.allowed) || capabilities.drop(path);
  if (formatFields.has(path.split('.')[0] ?? '') || formatFields.has(leaf))
    return capabilities.modeUnknown(sent.format, [...(fault.allowed ?? []), ...modesIn(words)]);
  return capabilities.drop(path);
}

/** The field that is named, or the longest one whose name is in the words. */
function namedPath({ parameter, words }: Complaint, body: Readonly<Record<string, unknown>>): string | undefined {
  const paths = fieldPaths(body);
  const exact = parameter === undefined ? undefined : paths.find((path) => plain(path) === plain(parameter));
  if (exact !== undefined) return exact;
  // The names of the complaint's own fields say nothing.
  const said = `${parameter ?? ''} ${words.replace(/^\w+=/gmu, '')}`;
  const told = new Set((said.match(/[\w.]+/gu) ?? []).flatMap((word) => [plain(word), ...word.split('.').map(plain)]));
  return paths
    .filter((path) => told.has(plain(path)) || told.has(plain(path.split('.').at(-1) ?? '')))
    .filter((path) => path !== 'stream' && !anyName.has(path.split('.').at(-1) ?? ''))
    .toSorted((a, b) => depthOf(b) - depthOf(a) || b.length - a.length)[0];
}

/** Fields of this name are everywhere, and so is the word. */
const anyName = new Set(['type', 'name', 'strict', 'description', 'effort']);

/** `generation_config` and `generationConfig` are one name. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function depthOf(path: string): number {
  return path.split('.').length;
}

function rolesOf(body: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(body.messages) ? body.messages.map((message: { role?: unknown }) => String(message.role)) : [];
}

/** LM Studio: "'response_format.type' must be 'json_schema' or 'text'". */
function modesIn(words: string): string[] {
  return /json_schema['"`]? or|or ['"`]?json_schema/u.test(words) ? ['json_schema'] : [];
}

const limitFields = new Set(['max_tokens', 'max_completion_tokens']);
const reasoningFields = new Set(
  'reasoning_effort reasoning thinking enable_thinking thinking_budget chat_template_kwargs think thinkingConfig thinkingBudget thinkingLevel effort'.split(
    ' ',
  ),
);
const formatFields = new Set(
  'response_format output_config output_format format responseMimeType responseJsonSchema responseSchema'.split(' '),
);
