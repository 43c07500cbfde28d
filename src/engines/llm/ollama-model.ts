/**
 * Asks a model through Ollama's own API. Its OpenAI door knows neither `num_ctx` nor `think`, and cuts the head of a prompt that is
 * longer than its window without a word.
 */
import type { LlmEngineConfig } from '../engine-settings.ts';
import { fieldOf, jsonOf } from '../json-value.ts';
import { type Capabilities, usualOllamaWindow } from './capabilities.ts';
import { type AskModel, type Collected, type ModelQuestion, modelAsker } from './model-call.ts';

const ollamaUrl = 'http://127.0.0.1:11434';

export function ollamaModel(config: LlmEngineConfig, capabilities: Capabilities): AskModel {
  const root = (config.baseUrl ?? ollamaUrl).replace(/\/(?:v1|api)$/u, '');
  const key = config.apiKey?.reveal();
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...config.headers,
  };
  return modelAsker(config, capabilities, {
    shape: () => ({ dropped: capabilities.learned.dropped ?? [], rulesFrom: capabilities.learned.rulesFrom }),
    async collect(question, soFar, http, signal) {
      const body = JSON.stringify(requestOf(config, capabilities, question));
      const response = await http.fetch(`${root}/api/chat`, { method: 'POST', headers, body, signal });
      if (!response.ok) throw { statusCode: response.status, message: await messageIn(response) };
      for await (const line of linesOf(response)) {
        readEvent(JSON.parse(line) as OllamaEvent, soFar);
        if (soFar.text !== '' || soFar.thoughts !== '') question.notes.onWords?.();
      }
    },
  });
}

interface OllamaEvent {
  message?: { content?: string; thinking?: string };
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
  error?: string;
}

function readEvent(event: OllamaEvent, soFar: Collected): void {
  if (event.error !== undefined) throw { statusCode: 500, message: event.error };
  soFar.text += event.message?.content ?? '';
  soFar.thoughts += event.message?.thinking ?? '';
  if (event.done !== true) return;
  soFar.finish = event.done_reason ?? 'stop';
  if (event.prompt_eval_count === undefined) return;
  soFar.usage = { inputTokens: event.prompt_eval_count, outputTokens: event.eval_count ?? 0, cachedInputTokens: 0 };
}

function requestOf(
  config: LlmEngineConfig,
  capabilities: Capabilities,
  question: ModelQuestion,
): Record<string, unknown> {
  const { prompt, format, schema, answerTokens } = question;
  const { effort } = capabilities;
  const { options = {}, ...others } = config.providerOptions as { options?: Record<string, unknown> };
  return {
    model: config.model,
    messages: [
      { role: 'system', content: prompt.instructions },
      { role: 'user', content: prompt.brief + prompt.data },
    ],
    stream: true,
    think: effort === 'unset' || effort === 'off' ? false : effort,
    ...(format.mode === 'text' ? {} : { format: format.mode === 'schema' ? schema : 'json' }),
    options: {
      // The same in every call: Ollama loads a model anew when it changes.
      num_ctx: config.contextTokens ?? usualOllamaWindow,
      num_predict: answerTokens,
      ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
      ...options,
    },
    ...others,
  };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of (response.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

async function messageIn(response: Response): Promise<string> {
  const body = await response.text();
  const error = fieldOf(jsonOf(body), 'error');
  return typeof error === 'string' ? error : body;
}
