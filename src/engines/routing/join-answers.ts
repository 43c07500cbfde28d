import type { TranslateResult } from '../engine.ts';
import { EngineError } from '../engine-error.ts';

/**
 * The answers to the parts of one request as one answer. A part that failed for its text is missing, as a line is that a model left
 * out; any other fault is the fault of the whole.
 * @throws the fault of a part
 */
export function joinAnswers(answers: readonly PromiseSettledResult<TranslateResult>[]): TranslateResult {
  const results = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const fatal = faults.find((fault) => !(fault instanceof EngineError && fault.isAboutText));
  if (fatal !== undefined || results.length === 0) throw fatal ?? faults[0];
  const total = (field: 'inputTokens' | 'outputTokens' | 'cachedInputTokens'): number =>
    results.reduce((sum, { usage }) => sum + usage[field], 0);
  const [inputTokens, outputTokens, cachedInputTokens] = [
    total('inputTokens'),
    total('outputTokens'),
    total('cachedInputTokens'),
  ];
  const finishes = new Set(results.map(({ finish }) => finish));
  return {
    translations: new Map(results.flatMap(({ translations }) => [...translations])),
    finish: finishes.has('refused') ? 'refused' : finishes.has('truncated') ? 'truncated' : 'complete',
    usage: { inputTokens, outputTokens, cachedInputTokens },
  };
}
