/**
 * Character encoding of HTML bytes: byte order mark, then UTF-8 when it is valid, then what the page says of itself. What the
 * page says does not count when the text reads like something else. A browser would take Windows-1252 for a page that says
 * nothing, and show a Chinese one as noise.
 */
import type { DocumentWarning } from '../document.ts';
import { encodingLabel } from './declared-hints.ts';
import { type DecodedText, decodeText } from './decode-text.ts';
import { legacyEncodings } from './encodings.ts';

/** The text without its byte order mark. @throws BAD_REQUEST UNREADABLE_ENCODING, NOT_TEXT */
export function decodeHtml(bytes: Uint8Array): DecodedText {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  const declared = declaredEncoding(head);
  const language = /<html[^>]*?\slang\s*=\s*["']?([a-z]{2,3})\b/i.exec(head)?.[1]?.toLowerCase();
  // Encodings that are too rare to be looked for are taken at their word.
  if (declared !== undefined && !isRanked(declared)) return decodeAsDeclared(bytes, declared) ?? decodeText(bytes);
  try {
    return decodeText(bytes, { declared, language });
  } catch (error) {
    const decoded = declared === undefined ? undefined : decodeAsDeclared(bytes, declared);
    if (decoded === undefined || declared === 'utf-8') throw error;
    const message = `The page was read as ${declared}, as it says; some of its bytes have no meaning there.`;
    const warning: DocumentWarning = { code: 'ENCODING_UNCERTAIN', message };
    return { ...decoded, warnings: [warning] };
  }
}

/** Browsers look at the first 1,024 bytes. */
const headBytes = 1024;

function declaredEncoding(head: string): string | undefined {
  const inMeta = /<meta[^>]*?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(head)?.[1];
  const inXml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w:.-]{2,40})/.exec(head)?.[1];
  const name = inMeta ?? inXml;
  const label = name === undefined ? undefined : encodingLabel(name);
  // Bytes that can be read as ASCII so far are not UTF-16, whatever they say.
  return label?.startsWith('utf-16') ? 'utf-8' : label;
}

function isRanked(label: string): boolean {
  return label === 'utf-8' || legacyEncodings.some((encoding) => encoding.label === label);
}

function decodeAsDeclared(bytes: Uint8Array, label: string): DecodedText | undefined {
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes), encoding: label, warnings: [] };
  } catch {
    return undefined;
  }
}
