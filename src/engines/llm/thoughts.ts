/**
 * What a model says to itself before it answers, where its server leaves that inside the answer. The rule is safe before it is
 * clever: nothing before the last end of a thought is an answer, and of an answer with a thought that has no end nothing is.
 * An answer that was cut inside `<think>` was once delivered as text of a book.
 */
export function withoutThoughts(answer: string, sources: readonly string[] = []): string {
  // A book may speak of such marks: one that stands in the source is text.
  const isOurs = (mark: string): boolean => !sources.some((source) => source.includes(mark));
  const text = answer.slice(endOfLast(answer, closing, isOurs));
  return startOfFirst(text, opening, isOurs) === undefined ? upToEndToken(text, isOurs) : '';
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
  let end = 0;
  for (const match of text.matchAll(pattern)) if (isOurs(match[0])) end = match.index + match[0].length;
  return end;
}

function startOfFirst(text: string, pattern: RegExp, isOurs: (mark: string) => boolean): number | undefined {
  for (const match of text.matchAll(pattern)) if (isOurs(match[0])) return match.index;
  return undefined;
}

function upToEndToken(text: string, isOurs: (mark: string) => boolean): string {
  return text.slice(0, startOfFirst(text, endToken, isOurs)).trim();
}
