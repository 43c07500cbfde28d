/** Character encoding of XML and XHTML bytes: byte order mark, then declaration, then UTF-8; never a silent U+FFFD. */
import { sourceFault } from '../source-faults.ts';

/** The text without its byte order mark. @throws BAD_REQUEST XML_ENCODING */
export function decodeXml(bytes: Uint8Array, part?: string): { text: string; encoding: string } {
  const encoding = unicodeOf(bytes) ?? declaredEncoding(bytes) ?? 'utf-8';
  const where = part === undefined ? undefined : `Part: ${part}.`;
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch (cause) {
    const fault = sourceFault('XML_ENCODING', where);
    fault.cause = cause;
    throw fault;
  }
}

/** The text as UTF-8 whose declaration says so. */
export function encodeXml(text: string): Uint8Array {
  const declaration = /^<\?xml[^>]*?\sencoding\s*=\s*(["'])(.*?)\1/.exec(text);
  if (declaration === null || /^utf-?8$/i.test(declaration[2] ?? '')) return Buffer.from(text, 'utf8');
  const value = declaration[2] ?? '';
  const start = declaration[0].length - 1 - value.length;
  return Buffer.from(`${text.slice(0, start)}utf-8${text.slice(start + value.length)}`, 'utf8');
}

/** By its mark, or by the first `<` of UTF-16 without a mark; undefined when neither is there. */
export function unicodeOf(bytes: Uint8Array): string | undefined {
  return encodingByMark(bytes) ?? encodingByShape(bytes);
}

export function encodingByMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** UTF-16 without a mark shows in the first `<`. */
function encodingByShape(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[2] !== 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c && bytes[3] !== 0) return 'utf-16be';
  return undefined;
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(256, bytes.length)).toString('latin1');
  const label = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head)?.[1]?.toLowerCase();
  // Bytes that start with an ASCII declaration cannot be UTF-16, whatever it says.
  return label?.startsWith('utf-16') || label?.startsWith('ucs-2') ? 'utf-8' : label;
}
