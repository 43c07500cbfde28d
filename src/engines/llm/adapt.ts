/** What an engine makes of a complaint: it leaves out what the server does not know, and asks for less than was too much. */
import type { AnswerFormat } from './answer-formats.ts';
import type { Capabilities } from './capabilities.ts';
import type { Complaint } from './complaint.ts';
import type { ProviderFault } from './provider-faults.ts';
import { fieldPaths } from './shape-request.ts';

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
export function adaptTo(
  fault: ProviderFault,
  complaint: Complaint,
  sent: SentCall,
  capabilities: Capabilities,
): boolean {
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
