import type { CompareResult } from '../engine.ts';
import { jsonValuesIn } from './json-values.ts';
import { withoutThoughts } from './thoughts.ts';

/** Undefined when the answer says neither. */
export function readVerdict(answer: string): CompareResult['better'] {
  const text = withoutThoughts(answer);
  const said = jsonValuesIn(text).whole.findLast(
    (value) => typeof value === 'object' && value !== null && 'better' in value,
  );
  const word = said === undefined ? text : String((said as { better: unknown }).better);
  // A word and nothing else: an answer that talks has decided nothing.
  const [, letter, equal] = /^\W*(?:translation )?(?:(a|b)|(equal|tie))\W*$/iu.exec(word) ?? [];
  if (equal !== undefined) return 'equal';
  return letter === undefined ? undefined : letter.toLowerCase() === 'a' ? 'first' : 'second';
}
