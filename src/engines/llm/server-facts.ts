/** What a server on a machine of the operator says about itself: which program it is, and how large its window is. */
import type { LlmEngineConfig } from '../engine-settings.ts';
import { fieldOf, jsonOf } from '../json-value.ts';
import type { Capabilities } from './capabilities.ts';
import { isKnownProvider } from './dialects.ts';

/**
 * Asks before the first call; a server that says nothing is used as it is. Each caller asks until one has an answer: the leaving of
 * the first is nobody else's fault.
 */
export async function askServerFacts(
  config: LlmEngineConfig,
  capabilities: Capabilities,
  signal: AbortSignal,
): Promise<void> {
  const isOpen = (): boolean => capabilities.learned.server === undefined;
  if (config.kind !== 'openai-compatible' || isKnownProvider(config) || !isOpen()) return;
  const facts = await askServer(config, signal);
  if (isOpen()) capabilities.identified(facts.server, facts.windowTokens);
}

async function askServer(config: LlmEngineConfig, signal: AbortSignal) {
  const base = config.baseUrl ?? '';
  const root = base.replace(/\/v\d+$/u, '');
  const ask = (url: string): Promise<unknown> => askJson(url, config, signal);
  const listed = entryOf(await ask(`${base}/models`), config.model);
  const owner = String(listed?.owned_by ?? '');
  if (owner === 'vllm' || listed?.max_model_len !== undefined)
    return { server: 'vLLM', windowTokens: positive(listed?.max_model_len) };
  if (owner === 'llamacpp') {
    const settings = fieldOf(await ask(`${root}/props`), 'default_generation_settings');
    return { server: 'llama.cpp', windowTokens: positive(fieldOf(settings, 'n_ctx')) };
  }
  if (owner === 'library') {
    const running = entryOf(await ask(`${root}/api/ps`), config.model);
    return { server: 'Ollama', windowTokens: positive(running?.context_length) };
  }
  if (owner === 'organization_owner')
    return { server: 'LM Studio', windowTokens: await lmStudioWindow(root, config.model, ask) };
  // Groq, Mistral, OpenRouter and gateways that copy them say it in their lists.
  const told = listed?.context_window ?? listed?.context_length ?? listed?.max_context_length;
  return { server: 'unknown', windowTokens: positive(told) };
}

/** What the loaded model was given, which is less than it could have; before version 0.4 at another address. */
async function lmStudioWindow(
  root: string,
  model: string,
  ask: (url: string) => Promise<unknown>,
): Promise<number | undefined> {
  const entry = entryOf(await ask(`${root}/api/v1/models`), model);
  const [instance] = Array.isArray(entry?.loaded_instances) ? entry.loaded_instances : [];
  const loaded = positive(fieldOf(fieldOf(instance, 'config'), 'context_length'));
  if (loaded !== undefined) return loaded;
  const older = entryOf(await ask(`${root}/api/v0/models`), model);
  return positive(older?.loaded_context_length ?? older?.max_context_length ?? entry?.max_context_length);
}

const timeoutMs = 3_000;
const maxCharacters = 4_000_000;

async function askJson(url: string, config: LlmEngineConfig, signal: AbortSignal): Promise<unknown> {
  try {
    const key = config.apiKey?.reveal();
    const response = await fetch(url, {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...config.headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > maxCharacters) {
      await response.body?.cancel();
      return undefined;
    }
    return jsonOf((await response.text()).slice(0, maxCharacters));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The model in a list of them, as OpenAI, Ollama and LM Studio write such lists; the only one where names differ. */
function entryOf(list: unknown, model: string): Record<string, unknown> | undefined {
  const rows = fieldOf(list, 'data') ?? fieldOf(list, 'models');
  const entries = Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  return (
    entries.find(({ id, name, key, model: own }) => [id, name, key, own].includes(model)) ??
    (entries.length === 1 ? entries[0] : undefined)
  );
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : undefined;
}
