/** All style sheets of a book as one text, to see which way its lines run. */
import type { EpubPackage } from './package.ts';

export function stylesOf(epub: EpubPackage): string {
  const sheets: string[] = [];
  for (const item of epub.items.values()) {
    if (item.mediaType !== 'text/css' && item.mediaType !== 'text/x-oeb1-css') continue;
    sheets.push(Buffer.from(epub.archive.read(item.path) ?? []).toString('utf8'));
  }
  return sheets.join('\n');
}
