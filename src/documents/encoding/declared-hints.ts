/** What a plain text says of its own encoding: the header of Project Gutenberg, a mail header, the first line of an editor. */
import type { RankHints } from './rank-encodings.ts';

const declarations = [
  /^[ \t]*Character set encoding:[ \t]*([\w .-]{3,40}?)[ \t\r]*$/im,
  /^[ \t]*Content-Type:[^\n]{0,80}charset\s*=\s*"?([\w.:-]{3,40})/im,
  /-\*-[^\n]{0,80}coding:\s*([\w.-]{3,40})/i,
];

/** Where a header may stand. */
const headBytes = 4096;

export function declaredHints(bytes: Uint8Array): RankHints {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  for (const declaration of declarations) {
    const name = declaration.exec(head)?.[1];
    if (name !== undefined) return { declared: encodingLabel(name) };
  }
  return {};
}

/** WHATWG label of a name as people write it; undefined for ASCII, which says nothing about the bytes beyond it. */
export function encodingLabel(name: string): string | undefined {
  const plain = name.trim().toLowerCase();
  if (/ascii|iso-?646/.test(plain)) return undefined;
  const label = plain.replace(/^iso latin-?(\d)$/, 'latin$1').replace(/^cp-?(125\d)$/, 'windows-$1');
  try {
    const { encoding } = new TextDecoder(label);
    return encoding;
  } catch {
    return undefined;
  }
}
