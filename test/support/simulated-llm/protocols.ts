import type { FakeAnswer } from './fake-model.ts';

/** The three wire formats, each reduced to: what was asked, and how an answer or a fault looks. */
export interface Protocol {
  name: 'openai' | 'anthropic' | 'google';
  read(body: unknown): WireRequest;
  answer(answer: FakeAnswer, usage: WireUsage, model: string): unknown;
  /** Server-sent events of a streamed answer, one payload each. */
  events(answer: FakeAnswer, usage: WireUsage, model: string): { event?: string; data: string }[];
  fault(status: number, kind: 'rate' | 'quota' | 'server', message: string): unknown;
}

export interface WireRequest {
  model: string;
  instructions: string;
  data: string;
  schema: boolean;
  stream: boolean;
  tools: boolean;
}

export interface WireUsage {
  input: number;
  cached: number;
  output: number;
}

export function protocolFor(path: string): Protocol | undefined {
  if (path.endsWith('/chat/completions')) return openai;
  if (path.endsWith('/messages')) return anthropic;
  if (/:(?:generateContent|streamGenerateContent)$/u.test(path)) return google;
  return undefined;
}

type Json = Record<string, unknown>;

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => String(object(part).text ?? ''))
    .join('');
}

const openai: Protocol = {
  name: 'openai',
  read(body) {
    const request = object(body);
    const messages = list(request.messages).map(object);
    const by = (...roles: string[]): string =>
      messages
        .filter((message) => roles.includes(String(message.role)))
        .map((message) => textOf(message.content))
        .join('\n');
    return {
      model: String(request.model ?? ''),
      instructions: by('system', 'developer'),
      data: by('user'),
      schema: object(request.response_format).type === 'json_schema',
      stream: request.stream === true,
      tools: request.tools !== undefined,
    };
  },
  answer(answer, usage, model) {
    const message =
      answer.finish === 'refusal'
        ? { role: 'assistant', content: null, refusal: answer.text }
        : { role: 'assistant', content: answer.text };
    return {
      id: 'chatcmpl-sim',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: openaiFinish[answer.finish] }],
      usage: openaiUsage(usage),
    };
  },
  events(answer, usage, model) {
    const chunk = (delta: Json, finish: string | null): { data: string } => ({
      data: JSON.stringify({
        id: 'chatcmpl-sim',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      }),
    });
    return [
      chunk({ role: 'assistant', content: '' }, null),
      ...pieces(answer.text).map((content) => chunk({ content }, null)),
      chunk({}, openaiFinish[answer.finish]),
      {
        data: JSON.stringify({
          id: 'chatcmpl-sim',
          object: 'chat.completion.chunk',
          created: 1,
          model,
          choices: [],
          usage: openaiUsage(usage),
        }),
      },
      { data: '[DONE]' },
    ];
  },
  fault: (_status, kind, message) => ({
    error: {
      message,
      type: kind === 'quota' ? 'insufficient_quota' : kind === 'rate' ? 'rate_limit_error' : 'server_error',
      param: null,
      code: kind === 'quota' ? 'insufficient_quota' : kind === 'rate' ? 'rate_limit_exceeded' : null,
    },
  }),
};

const openaiFinish = { stop: 'stop', length: 'length', refusal: 'content_filter' } as const;

function openaiUsage(usage: WireUsage): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
}

const anthropic: Protocol = {
  name: 'anthropic',
  read(body) {
    const request = object(body);
    return {
      model: String(request.model ?? ''),
      instructions: textOf(request.system),
      data: list(request.messages)
        .map((message) => textOf(object(message).content))
        .join('\n'),
      schema:
        object(object(request.output_config).format).type === 'json_schema' || request.output_format !== undefined,
      stream: request.stream === true,
      tools: request.tools !== undefined,
    };
  },
  answer: (answer, usage, model) => ({
    id: 'msg_sim',
    type: 'message',
    role: 'assistant',
    model,
    content: answer.finish === 'refusal' ? [] : [{ type: 'text', text: answer.text }],
    stop_reason: anthropicStop[answer.finish],
    stop_sequence: null,
    usage: anthropicUsage(usage),
  }),
  events(answer, usage, model) {
    const event = (type: string, rest: Json): { event: string; data: string } => ({
      event: type,
      data: JSON.stringify({ type, ...rest }),
    });
    return [
      event('message_start', {
        message: {
          id: 'msg_sim',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: anthropicUsage({ ...usage, output: 0 }),
        },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...pieces(answer.text).map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: anthropicStop[answer.finish], stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      event('message_stop', {}),
    ];
  },
  fault: (status, kind, message) => ({
    type: 'error',
    error: {
      type:
        kind === 'rate'
          ? 'rate_limit_error'
          : kind === 'quota'
            ? 'billing_error'
            : status === 529
              ? 'overloaded_error'
              : 'api_error',
      message,
    },
  }),
};

const anthropicStop = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' } as const;

function anthropicUsage(usage: WireUsage): Json {
  return {
    input_tokens: usage.input - usage.cached,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  };
}

const google: Protocol = {
  name: 'google',
  read(body) {
    const request = object(body);
    return {
      model: '',
      instructions: textOf(object(request.systemInstruction).parts),
      data: list(request.contents)
        .map((content) => textOf(object(content).parts))
        .join('\n'),
      schema:
        object(request.generationConfig).responseJsonSchema !== undefined ||
        object(request.generationConfig).responseSchema !== undefined,
      stream: false,
      tools: request.tools !== undefined,
    };
  },
  answer: (answer, usage) => ({
    candidates: [
      {
        content:
          answer.finish === 'refusal'
            ? { role: 'model', parts: [] }
            : { role: 'model', parts: [{ text: answer.text }] },
        finishReason: googleFinish[answer.finish],
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  }),
  events(answer, usage, model) {
    return [{ data: JSON.stringify(this.answer(answer, usage, model)) }];
  },
  fault: (status, kind, message) => ({
    error: { code: status, message, status: kind === 'server' ? 'UNAVAILABLE' : 'RESOURCE_EXHAUSTED' },
  }),
};

const googleFinish = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'PROHIBITED_CONTENT' } as const;

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,400}/gu) ?? [];
}
