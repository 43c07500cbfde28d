import { dublinCore, type UsualPrefixes } from '../markup/usual-prefixes.ts';

/** Of everything in a book but its pages; the package, the NCX and the navigation document have none for their own elements. */
export const epubPrefixes: UsualPrefixes = new Map([...dublinCore, ['http://www.idpf.org/2007/ops', 'epub']]);
