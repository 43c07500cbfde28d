/** The model behind every animal: it translates, in the format it is asked for or, when it drifts, in any other. */
import { answerPrompt, type FakeModelOptions } from '../simulated-llm/fake-model.ts';
import { seeded } from '../simulated-llm/random.ts';
import { readPrompt } from '../simulated-llm/read-prompt.ts';
import type { Behaviour } from './animal.ts';
import type { ZooRequest } from './wire.ts';

const options: FakeModelOptions = { seed: 1, names: [], extractionNoise: 0, orders: [], obey: 'never' };

export interface ModelText {
  task: 'translate' | 'extract' | 'sheet' | 'edit' | 'unknown';
  /** The same for the same passage: a repeated call is known by it. */
  fingerprint: string;
  text: string;
}

export function modelText(
  { instructions, data }: ZooRequest,
  behaviour: Behaviour,
  attempt: (fingerprint: string) => number,
): ModelText {
  const prompt = readPrompt(instructions, data);
  const fingerprint =
    prompt.task === 'extract' || prompt.task === 'sheet'
      ? prompt.text
      : prompt.lines.map(({ text }) => text).join('\n');
  const call = { fault: undefined, fingerprint, attempt: attempt(fingerprint), schema: true };
  const { text } = answerPrompt(prompt, options, call);
  const asked = inFormat(text, instructions);
  const drifted = behaviour === 'drifts in format' ? drift(asked, text, fingerprint, call.attempt, prompt.task) : asked;
  return { task: prompt.task, fingerprint, text: drifted };
}

/** As the rules ask for it: JSON, numbered lines, or one paragraph. */
function inFormat(json: string, instructions: string): string {
  if (instructions.includes('Reply only with lines, one for each term'))
    return termsOf(json)
      .map((term) => term.join(' | '))
      .join('\n');
  if (instructions.includes('behind its number and a space')) return linesOf(json).join('\n');
  if (instructions.includes('the translation of line 1, without its number'))
    return withoutNumber(linesOf(json)[0] ?? '');
  return json;
}

/** A number of ways that all mean the same, by the passage; now and then something that means nothing, once. */
function drift(asked: string, json: string, fingerprint: string, attempt: number, task: ModelText['task']): string {
  const draw = seeded(7, 'drift', fingerprint);
  if (task !== 'translate') return draw < 0.5 ? `\`\`\`json\n${asked}\n\`\`\`` : asked;
  if (attempt === 0 && draw < 0.12) return 'Of course! I have translated everything as you wished.';
  const lines = linesOf(json);
  const texts = lines.map(withoutNumber);
  const forms = [
    JSON.stringify(texts),
    JSON.stringify({ translations: texts.map((text, i) => ({ line: i + 1, text })) }),
    JSON.stringify(Object.fromEntries(texts.map((text, i) => [i + 1, text]))),
    `\`\`\`json_zh\n${json}\n\`\`\``,
    `Here is the translation:\n\n${lines.map((line) => line.replace(/^(\d+) /u, '$1. ')).join('\n')}\n\nI hope this helps!`,
    `<think>Let me see {"t":["1 maybe"]}</think>${json}`,
    texts.map((text, i) => JSON.stringify({ id: i + 1, translation: text })).join('\n'),
  ];
  return forms[Math.floor(seeded(8, 'form', fingerprint, attempt) * forms.length)] ?? json;
}

function linesOf(json: string): string[] {
  return (JSON.parse(json) as { t?: string[] }).t ?? [];
}

function withoutNumber(line: string): string {
  return line.replace(/^\d+ /u, '');
}

function termsOf(json: string): string[][] {
  const { terms = [] } = JSON.parse(json) as { terms?: (string[] | { s: string; t: string; k: string; g: string })[] };
  return terms.map((term) => (Array.isArray(term) ? term : [term.s, term.t, term.k, term.g]));
}
