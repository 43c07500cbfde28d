/**
 * The one way from what a model answered to texts of a book. It is safe before it is clever: no thought, no line of our prompt and no
 * fence gets through, and of an answer that was cut only what is whole.
 */
import { readLines } from './answer-lines.ts';
import { readParagraph } from './answer-paragraph.ts';
import type { Prompt } from './prompt.ts';
import { createEchoTest } from './prompt-echo.ts';

export interface AskedAnswer {
  /** What the model was told. */
  prompt: Prompt;
  /** The texts that were asked for, in the order of their numbers. */
  sources: readonly string[];
  /** The answer ended before its end: by its limit of tokens, or with its connection. */
  isCut: boolean;
  /** The one text that was asked for is the whole answer, without a number. */
  isPlain?: boolean;
}

/** @returns translations by number, from 1 */
export function readAnswer(
  answer: string,
  { prompt, sources, isCut, isPlain = false }: AskedAnswer,
): Map<number, string> {
  const [source] = sources;
  const isEcho = createEchoTest(prompt, sources);
  if (!isPlain || source === undefined || sources.length > 1)
    return new Map([...readLines(answer, { sources, isCut })].filter(([, text]) => !isEcho(text)));
  // Nobody can see where a text without marks should have ended.
  const text = isCut || isEcho(answer) ? undefined : readParagraph(answer, source);
  return new Map(text === undefined ? [] : [[1, text]]);
}
