/** The four protocols of the zoo: what a request asks for, and how an answer goes over the wire as a stream. */
import type { Animal } from './animal.ts';

type Json = Record<string, unknown>;

export interface ZooRequest {
  instructions: string;
  data: string;
  /** What the request allows for the answer. */
  answerTokens: number;
  body: Json;
}

export interface ZooAnswer {
  text: string;
  thoughts: string;
  /** In the words of the provider. */
  finish: string;
  usage: ZooUsage;
}

export interface ZooUsage {
  input: number;
  cached: number;
  output: number;
  /** Part of `output`. */
  reasoning: number;
}

export function readRequest(protocol: Animal['protocol'], body: Json): ZooRequest {
  switch (protocol) {
    case 'gemini': {
      const config = object(body.generationConfig);
      return {
        instructions: partsText(object(body.systemInstruction).parts),
        data: list(body.contents)
          .map((content) => partsText(object(content).parts))
          .join('\n'),
        answerTokens: Number(config.maxOutputTokens ?? Number.POSITIVE_INFINITY),
        body,
      };
    }
    case 'messages':
      return {
        instructions: partsText(body.system),
        data: list(body.messages)
          .map((message) => partsText(object(message).content))
          .join('\n'),
        answerTokens: Number(body.max_tokens),
        body,
      };
    default: {
      const messages = list(body.messages).map(object);
      const by = (...roles: string[]): string =>
        messages
          .filter(({ role }) => roles.includes(String(role)))
          .map(({ content }) => partsText(content))
          .join('\n');
      const limit =
        protocol === 'ollama' ? object(body.options).num_predict : (body.max_completion_tokens ?? body.max_tokens);
      return {
        instructions: by('system', 'developer'),
        data: by('user'),
        answerTokens: Number(limit ?? Number.POSITIVE_INFINITY),
        body,
      };
    }
  }
}

export const contentTypes: Readonly<Record<Animal['protocol'], string>> = {
  chat: 'text/event-stream',
  messages: 'text/event-stream',
  gemini: 'text/event-stream',
  ollama: 'application/x-ndjson',
};

/** The pieces of a stream, in their order. */
export function framesOf(animal: Animal, answer: ZooAnswer): string[] {
  const { text, thoughts } = withTags(animal, answer);
  const told = { ...answer, text, thoughts };
  switch (animal.protocol) {
    case 'chat':
      return chatFrames(animal, told);
    case 'messages':
      return messageFrames(told);
    case 'gemini':
      return geminiFrames(told);
    case 'ollama':
      return ollamaFrames(told);
  }
}

/** An error in the middle of a stream. */
export function errorFrame(protocol: Animal['protocol'], body: unknown): string {
  if (protocol === 'messages') return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  return protocol === 'ollama' ? `${JSON.stringify(body)}\n` : `data: ${JSON.stringify(body)}\n\n`;
}

/** Where a server leaves thoughts inside of the text. */
function withTags(animal: Animal, { text, thoughts }: ZooAnswer): { text: string; thoughts: string } {
  if (thoughts === '') return { text, thoughts };
  if (animal.thoughts === 'tags')
    return { text: text === '' ? `<think>\n${thoughts}` : `<think>\n${thoughts}\n</think>\n\n${text}`, thoughts: '' };
  if (animal.thoughts === 'closing tag')
    return { text: text === '' ? thoughts : `${thoughts}\n</think>\n\n${text}`, thoughts: '' };
  return { text, thoughts: animal.thoughts === 'hidden' ? '' : thoughts };
}

function chatFrames(animal: Animal, { text, thoughts, finish, usage }: ZooAnswer): string[] {
  const frame = (value: Json): string =>
    `data: ${JSON.stringify({ id: 'zoo', object: 'chat.completion.chunk', created: 1, model: animal.engine.model, ...value })}\n\n`;
  const delta = (part: Json, reason: string | null = null): string =>
    frame({ choices: [{ index: 0, delta: part, finish_reason: reason }] });
  const field = animal.thoughts === 'reasoning' ? 'reasoning' : 'reasoning_content';
  const counted = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(thoughts).map((piece) => delta({ [field]: piece })),
    ...pieces(text).map((content) => delta({ content })),
    delta({}, finish),
    frame({ choices: [], usage: counted }),
    'data: [DONE]\n\n',
  ];
}

function messageFrames({ text, thoughts, finish, usage }: ZooAnswer): string[] {
  const frame = (type: string, rest: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const block = (index: number, start: Json, deltas: Json[]): string[] => [
    frame('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => frame('content_block_delta', { index, delta })),
    frame('content_block_stop', { index }),
  ];
  const input = {
    input_tokens: usage.input - usage.cached,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: 0,
  };
  return [
    frame('message_start', {
      message: {
        id: 'msg_zoo',
        type: 'message',
        role: 'assistant',
        model: 'zoo',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1 },
      },
    }),
    ...(thoughts === ''
      ? []
      : block(
          0,
          { type: 'thinking', thinking: '' },
          pieces(thoughts).map((thinking) => ({ type: 'thinking_delta', thinking })),
        )),
    ...(text === ''
      ? []
      : block(
          1,
          { type: 'text', text: '' },
          pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
        )),
    frame('message_delta', {
      delta: { stop_reason: finish, stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    frame('message_stop', {}),
  ];
}

function geminiFrames({ text, thoughts, finish, usage }: ZooAnswer): string[] {
  const frame = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  };
  if (finish === 'PROHIBITED_CONTENT') return [frame({ promptFeedback: { blockReason: finish }, usageMetadata })];
  const part = (value: Json): string =>
    frame({ candidates: [{ content: { role: 'model', parts: [value] }, index: 0 }] });
  return [
    ...pieces(thoughts).map((piece) => part({ text: piece, thought: true })),
    ...pieces(text).map((piece) => part({ text: piece })),
    frame({ candidates: [{ index: 0, finishReason: finish }], usageMetadata }),
  ];
}

function ollamaFrames({ text, thoughts, finish, usage }: ZooAnswer): string[] {
  const frame = (value: Json): string =>
    `${JSON.stringify({ model: 'some:7b', created_at: '2026-11-16T00:00:00Z', ...value })}\n`;
  return [
    ...pieces(thoughts).map((thinking) =>
      frame({ message: { role: 'assistant', content: '', thinking }, done: false }),
    ),
    ...pieces(text).map((content) => frame({ message: { role: 'assistant', content }, done: false })),
    frame({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: finish,
      prompt_eval_count: usage.input,
      eval_count: usage.output,
    }),
  ];
}

/** How each of them says that an answer is whole, or that its limit was reached. */
export const finishWords: Readonly<Record<Animal['protocol'], { stop: string; length: string }>> = {
  chat: { stop: 'stop', length: 'length' },
  messages: { stop: 'end_turn', length: 'max_tokens' },
  gemini: { stop: 'STOP', length: 'MAX_TOKENS' },
  ollama: { stop: 'stop', length: 'length' },
};

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,300}/gu) ?? [];
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function partsText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => String(object(part).text ?? ''))
    .join('');
}
