/** Models that a provider would not sell: one that can only do one paragraph in plain text, and one that says anything. */
import type { ZooRequest } from './wire.ts';

/** Answers as the zoo does where one paragraph is asked for in plain text, and talks about the weather otherwise. */
export function oneParagraphOnly({ instructions }: ZooRequest): string | undefined {
  const isAskedPlainly = instructions.includes('the translation of line 1, without its number');
  return isAskedPlainly ? undefined : 'Certainly! The weather is lovely today, and I am glad to be of help.';
}

/** Never twice the same, never what was asked for. */
export function nonsense(): (request: ZooRequest) => string {
  let said = 0;
  return () => {
    said += 1;
    return `${['Certainly!', 'As requested:', 'Hmm.'][said % 3]} The answer is ${said * 7} bananas, {"ok": [${said}]} and so on`;
  };
}
