/** An edited XLIFF or TMX file, whichever it is. */
import { badRequest } from '../errors.ts';
import type { EditedUnit } from './edited-unit.ts';
import { readTmx } from './read-tmx.ts';
import { readXliff } from './read-xliff.ts';

/** @throws BAD_REQUEST when it is neither, not UTF-8 or not well-formed */
export async function readCorrections(
  bytes: Uint8Array,
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): Promise<EditedUnit[]> {
  const xml = decoded(bytes);
  const root = /<(?:[\w-]+:)?(xliff|tmx)[\s>]/.exec(xml.slice(0, 4_096))?.[1];
  if (root === 'xliff') return await readXliff(xml);
  if (root === 'tmx') return await readTmx(withoutTmxDoctype(xml), sourceLang, targetLang);
  throw badRequest('The file is neither XLIFF nor TMX.', { field: 'file', reason: 'UNSUPPORTED_FORMAT' });
}

function decoded(bytes: Uint8Array): string {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  try {
    return new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The file is not valid UTF-8.', { field: 'file', reason: 'INVALID_ENCODING' });
  }
}

/** Every TMX that OmegaT writes begins with this line; it declares nothing and asks for a file that nobody needs. */
function withoutTmxDoctype(xml: string): string {
  return xml.replace(/<!DOCTYPE tmx SYSTEM "tmx1[0-9]\.dtd">/, '');
}
