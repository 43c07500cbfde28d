import { readFileSync } from 'node:fs';

/** The lines of a text file beside the code, without those that begin with #, which are remarks. */
export function linesIn(file: URL): string[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('#'));
}

/** The words of such a file: blanks and line ends divide them. */
export function wordList(file: URL): ReadonlySet<string> {
  return new Set(linesIn(file).flatMap((line) => line.split(' ')));
}
