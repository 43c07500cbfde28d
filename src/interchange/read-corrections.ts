/** An edited XLIFF or TMX file, whichever it is. */
import type { EditedUnit } from '../correction.ts';
import { badRequest } from '../errors.ts';
import type { InterchangeLanguages } from './interchange-languages.ts';
import { readTmx } from './tmx.ts';
import { readXliff } from './xliff.ts';
import { decodedXml } from './xml.ts';

/** @throws BAD_REQUEST when it is neither, not UTF-8 or not well-formed */
export async function readCorrections(bytes: Uint8Array, languages: InterchangeLanguages): Promise<EditedUnit[]> {
  const xml = decodedXml(bytes);
  const root = /<(?:[\w-]+:)?(xliff|tmx)[\s>]/.exec(xml.slice(0, 4_096))?.[1];
  if (root === 'xliff') return await readXliff(xml, languages);
  if (root === 'tmx') return await readTmx(withoutTmxDoctype(xml), languages);
  throw badRequest('The file is neither XLIFF nor TMX.', { field: 'file', reason: 'UNSUPPORTED_FORMAT' });
}

/** Every TMX that OmegaT writes begins with this line; it declares nothing and asks for a file that nobody needs. */
function withoutTmxDoctype(xml: string): string {
  return xml.replace(/<!DOCTYPE tmx SYSTEM "tmx1[0-9]\.dtd">/, '');
}
