/** What counts in the text of an answer: the JSON in what a model wrote around it, and what is not thought aloud. One pass each, because answers are as long as a server likes. */
import { jsonOf } from '../json-value.ts';

export function jsonValuesIn(text: string) {
  /** Whole values that stand in no other one, in their order. Prose around them is skipped. */
  const whole: unknown[] = [];
  /** Brackets that are open, with where they stand and what is whole inside of them. */
  const open: { bracket: string; at: number; inside: [from: number, to: number][] }[] = [];
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const innermost = open.at(-1);
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '{' || character === '[') open.push({ bracket: character, at, inside: [] });
    else if (character === '"') isInString = innermost !== undefined;
    else if (innermost !== undefined && character === closed[innermost.bracket]) {
      open.pop();
      const outer = open.at(-1);
      if (outer === undefined) whole.push(...parsed(text.slice(innermost.at, at + 1)));
      else outer.inside.push([innermost.at, at + 1]);
    }
  }
  /** Of a value that was cut: the whole values in it, in their order. */
  const inCut = open.flatMap(({ inside }) => inside).flatMap(([from, to]) => parsed(text.slice(from, to)));
  return { whole, inCut };
}

const closed: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Of a value that is broken: the objects and lists in it that hold no other and are whole. */
export function flatValuesIn(text: string): unknown[] {
  return [...text.matchAll(/\{[^{}]*\}|\[[^[\]{}]*\]/gu)].flatMap(([raw]) => parsed(raw));
}

function parsed(json: string): unknown[] {
  const value = jsonOf(json);
  return value === undefined ? [] : [value];
}

/**
 * What a model says to itself before it answers, where its server leaves that inside the answer. The rule is safe before it is
 * clever. Nothing before the last end of a thought counts as the answer. Where a thought has no end, nothing counts. An answer
 * that was cut inside `<think>` was once delivered as text of a book.
 */
export function withoutThoughts(answer: string, sources: readonly string[] = []): string {
  // A book may speak of such marks: one that stands in the source is text.
  const isOurs = (mark: string): boolean => !sources.some((source) => source.includes(mark));
  const text = answer.slice(endOfLast(answer, closing, isOurs));
  return startOfFirst(text, opening, isOurs) === undefined
    ? text.slice(0, startOfFirst(text, endToken, isOurs)).trim()
    : '';
}

const names = 'think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|inner_monologue|why|seed:think';

/** Tags, the brackets of Magistral, the arrows of Kimi, the channels of gpt-oss, the tokens of Sky-T1. */
const opening = new RegExp(
  String.raw`<(?:${names})(?:\s[^<>]{0,200})?>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)|<\|begin_of_thought\|>`,
  'giu',
);
const closing = new RegExp(
  String.raw`</(?:${names})\s{0,8}>|\[/THINK\]|◁/think▷|<\|channel\|>final(?:<\|message\|>)?|<\|end_of_thought\|>`,
  'giu',
);

/** Tokens that end a turn. A server that lets one through lets the model go on, as the next speaker. */
const endToken = /<\|(?:im_end|im_start|eot_id|end|return|endoftext|end_of_text)\|>|<end_of_turn>|<\/s>/giu;

function endOfLast(text: string, pattern: RegExp, isOurs: (mark: string) => boolean): number {
  const last = [...text.matchAll(pattern)].findLast(([mark]) => isOurs(mark));
  return last === undefined ? 0 : last.index + last[0].length;
}

function startOfFirst(text: string, pattern: RegExp, isOurs: (mark: string) => boolean): number | undefined {
  return text.matchAll(pattern).find(([mark]) => isOurs(mark))?.index;
}
