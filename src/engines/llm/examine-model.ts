/**
 * Tells an operator about a model before a book depends on it. It finds out whether the head of a long prompt is read, whether the
 * model thinks, and whether its provider keeps prompts in a cache. The same long prompt goes out twice.
 */
import { estimateTokens } from '../../language/estimate-tokens.ts';
import type { ModelTraits } from '../engine.ts';
import { adapting, EngineError } from '../engine-error.ts';
import { answerFormats, answerSchemas } from './answer-formats.ts';
import type { Capabilities } from './capabilities.ts';
import { type AskModel, type ModelAnswer, questionOf } from './model-call.ts';
import type { Prompt } from './prompt.ts';

const codeword = 'amber-kestrel-47';
const longPromptTokens = 6_000;
/** Room for a few thoughts, which some models cannot leave out. */
const answerTokens = 1_024;

export async function examineModel(
  askModel: AskModel,
  capabilities: Capabilities,
  signal: AbortSignal,
): Promise<ModelTraits> {
  const prompt = longPrompt();
  const first = await answerOrFault(askModel, capabilities, prompt, signal);
  const second = 'fault' in first ? first : await answerOrFault(askModel, capabilities, prompt, signal);
  const answers = [first, second].flatMap((each) => ('answer' in each ? [each.answer] : []));
  const { server } = capabilities.learned;
  return {
    server: server === 'unknown' ? undefined : server,
    format: capabilities.format.inWords,
    windowTokens: capabilities.windowTokens,
    promptTokens: answers[0]?.usage.inputTokens ?? estimatedTokens(prompt),
    isHeadRead: answers.some(({ text }) => text.toLowerCase().includes(codeword)),
    headFault: 'fault' in first ? first.fault.message : undefined,
    effort: capabilities.effort,
    hasThoughts: answers.some(({ hasThoughts, text }) => hasThoughts || text.includes('<think>')),
    cachedTokens: answers[1]?.usage.cachedInputTokens ?? 0,
  };
}

/** A prompt that is too long is a finding; any other fault is one of the engine. @throws EngineError */
function answerOrFault(
  askModel: AskModel,
  capabilities: Capabilities,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<{ answer: ModelAnswer } | { fault: EngineError }> {
  const asked = { prompt, format: answerFormats.paragraph, schema: answerSchemas.translate, notes: {} };
  return adapting(async () => {
    try {
      return { answer: await askModel(questionOf(asked, prompt.brief, answerTokens, capabilities), signal) };
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'too-long') return { fault: error };
      throw error;
    }
  });
}

function estimatedTokens({ instructions, brief, data }: Prompt): number {
  return estimateTokens(instructions) + estimateTokens(brief) + estimateTokens(data);
}

function longPrompt(): Prompt {
  const lines: string[] = [];
  for (let tokens = 0; tokens < longPromptTokens; tokens = estimateTokens(lines.join('\n'))) {
    const from = lines.length;
    for (let line = from; line < from + 50; line++)
      lines.push(
        `Page ${line + 1}: the river was ${(line * 37) % 211} paces wide, and ${(line * 53) % 97} boats lay there.`,
      );
  }
  return {
    instructions: `The codeword is ${codeword}. You will be asked for it after a long list.`,
    brief: `${lines.join('\n')}\n`,
    data: 'What is the codeword that stood before the list? Answer with the codeword alone.',
  };
}
