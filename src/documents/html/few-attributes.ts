import { sourceFault } from '../source-faults.ts';

/** Scripts look like tags here and there, so more than XML may have. */
const maxAttributes = 20_000;

/** A name or a value of a start tag, with the blanks around it. */
const tagPiece = /[\s/]*(?:"[^"]*"|'[^']*'|[^\s"'>/]+)/y;

/**
 * Looks before the parser does, which keeps every attribute and compares it with all others of its element.
 * @throws BAD_REQUEST XML_TOO_LARGE
 */
export function assertFewAttributes(source: string): void {
  let close = -1;
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at)) {
    at++;
    if (close < at) close = source.indexOf('>', at);
    if (close < 0) close = source.length;
    // Most tags are short, and each attribute takes two characters.
    if (close - at < maxAttributes * 2 || !/[a-z]/i.test(source[at] ?? '')) continue;
    let pieces = 0;
    for (tagPiece.lastIndex = at; tagPiece.test(source); at = tagPiece.lastIndex)
      if (++pieces > maxAttributes) throw sourceFault('XML_TOO_LARGE');
  }
}
