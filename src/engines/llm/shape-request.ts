/**
 * The request as the SDK made it, changed to what its server wants. The SDK decides some of it by the name of the model, which tells
 * nothing about a server of one's own. Here it is decided by what was learned.
 */
import type { JsonValue } from '../json-value.ts';

export interface RequestShape {
  /** Paths such as `stream_options` or `generationConfig.thinkingConfig`. */
  dropped: readonly string[];
  limitName?: string | undefined;
  rulesFrom: 'system' | 'user' | undefined;
  /** Fields of a dialect; one that the operator has set himself stays. */
  added?: Readonly<Record<string, JsonValue>>;
  /**
   * How the user's message begins in every call of a book, where that and the rules are long enough to be marked for the cache. Empty: the
   * mark is at the end of the rules.
   */
  markedFront?: string | undefined;
}

type Body = Record<string, unknown>;

export function shapeRequest(body: Readonly<Body>, shape: RequestShape): Body {
  const shaped: Body = { ...shape.added, ...body };
  const limit = limitNames.find((name) => shaped[name] !== undefined);
  if (limit !== undefined && shape.limitName !== undefined && shape.limitName !== limit) {
    shaped[shape.limitName] = shaped[limit];
    delete shaped[limit];
  }
  if (Array.isArray(shaped.messages)) shaped.messages = messagesOf(shaped.messages as Message[], shape);
  for (const path of shape.dropped) removePath(shaped, path.split('.'));
  return shaped;
}

/** Fields that the server may complain about, as paths; what holds text of a book is none of them. */
export function fieldPaths(body: Readonly<Body>, prefix = '', depth = 0): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (value === undefined || textFields.has(name)) return [];
    const path = `${prefix}${name}`;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [path, ...(isObject && depth < 2 ? fieldPaths(value as Body, `${path}.`, depth + 1) : [])];
  });
}

const limitNames = ['max_tokens', 'max_completion_tokens'];
const textFields = new Set(
  'messages contents system systemInstruction model schema json_schema responseJsonSchema responseSchema'.split(' '),
);

interface Message {
  role: string;
  content: unknown;
}

function messagesOf(messages: readonly Message[], { rulesFrom, markedFront }: RequestShape): Message[] {
  const isRules = ({ role }: Message): boolean => role === 'system' || role === 'developer';
  const rules = messages.find(isRules);
  if (rules === undefined) return [...messages];
  const others = messages.filter((message) => !isRules(message));
  if (rulesFrom === 'user') {
    const [first, ...rest] = others;
    return first === undefined
      ? [rules]
      : [{ ...first, content: `${textOf(rules.content)}\n\n${textOf(first.content)}` }, ...rest];
  }
  const content = markedFront === '' ? [marked(textOf(rules.content))] : rules.content;
  const rulesMessage = { ...rules, role: rulesFrom ?? rules.role, content };
  return [rulesMessage, ...(markedFront ? others.map((message) => withMark(message, markedFront)) : others)];
}

function withMark(message: Message, front: string): Message {
  const text = textOf(message.content);
  if (!text.startsWith(front)) return message;
  return { ...message, content: [marked(front), { type: 'text', text: text.slice(front.length) }] };
}

function marked(text: string): object {
  return { type: 'text', text, cache_control: { type: 'ephemeral' } };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: unknown }) => String(part.text ?? '')).join('') : '';
}

function removePath(body: Body, [name = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    delete body[name];
    return;
  }
  const inner = body[name];
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return;
  const copy = { ...(inner as Body) };
  body[name] = copy;
  removePath(copy, rest);
}
