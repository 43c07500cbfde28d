import type { Animal } from './animal.ts';
import { anthropic } from './animals/anthropic.ts';
import { azure } from './animals/azure.ts';
import { deepseek } from './animals/deepseek.ts';
import { gemini } from './animals/gemini.ts';
import { glm } from './animals/glm.ts';
import { groq } from './animals/groq.ts';
import { kimi } from './animals/kimi.ts';
import { litellm } from './animals/litellm.ts';
import { llamaCpp } from './animals/llama-cpp.ts';
import { lmStudio } from './animals/lm-studio.ts';
import { mistral } from './animals/mistral.ts';
import { ollama } from './animals/ollama.ts';
import { openai } from './animals/openai.ts';
import { openrouter } from './animals/openrouter.ts';
import { qwen } from './animals/qwen.ts';
import { vllm } from './animals/vllm.ts';

export const animals: readonly Animal[] = [
  openai,
  azure,
  anthropic,
  gemini,
  deepseek,
  qwen,
  glm,
  kimi,
  mistral,
  openrouter,
  groq,
  ollama,
  vllm,
  llamaCpp,
  lmStudio,
  litellm,
];
