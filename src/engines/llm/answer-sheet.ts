import { jsonValuesIn } from './json-values.ts';
import { withoutThoughts } from './thoughts.ts';

/** The object of an answer, or its lines `tense: past` as one; undefined when it has neither. */
export function readSheetFields(answer: string): Record<string, unknown> | undefined {
  const text = withoutThoughts(answer);
  // The last one: models think aloud in JSON before they answer in it.
  const whole = jsonValuesIn(text).whole.findLast(isRecord);
  if (whole !== undefined) return whole;
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\W{0,4}([a-z]{3,12}(?:[_ ]words)?)\W{0,2}:\W{0,2} (.+)$/iu.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase().replace(' ', '_'), value]];
  });
  return lines.length === 0 ? undefined : Object.fromEntries(lines);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
