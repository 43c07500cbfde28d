import type { ReadOptions, ReadResult } from '../document.ts';
import { parseTxt } from './parse-txt.ts';

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function readTxt(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { document, warnings } = parseTxt(bytes, options, false);
  return { document, warnings };
}
