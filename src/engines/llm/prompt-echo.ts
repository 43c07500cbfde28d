import type { Prompt } from './prompt.ts';

/**
 * Tells whether a text repeats what we told the model: a line of the prompt as it stands there, or a sentence of its rules. The
 * numbered lines of the book are left out: a text that came back untranslated is seen by the checks, which know when that is right.
 */
export function createEchoTest(
  { instructions, brief, data }: Prompt,
  sources: readonly string[],
): (text: string) => boolean {
  const lines = new Set(`${brief}${data}`.split('\n').map((line) => line.trim()));
  for (const line of lines) if (/^\d+ /u.test(line)) lines.delete(line);
  for (const source of sources) lines.delete(source.trim());
  const rules = instructions
    .split(/(?<=[.:])\s+|\n/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 25 && !sources.some((source) => source.includes(sentence)));
  return (text) => {
    const answerLines = text.split('\n').map((line) => line.trim());
    if (answerLines.some((line) => line !== '' && lines.has(line))) return true;
    const folded = text.replace(/\s+/gu, ' ');
    return rules.some((sentence) => folded.includes(sentence));
  };
}
