/**
 * Character encoding of HTML bytes: byte order mark, then what the page says of itself, then UTF-8, then what it reads
 * like. A browser would take Windows-1252 for a page that says nothing, and show a Chinese or Russian one as noise.
 */
import { decodeText } from './decode-text.ts';

/** The text without its byte order mark. @throws BAD_REQUEST UNREADABLE_ENCODING, NOT_TEXT */
export function decodeHtml(bytes: Uint8Array): { text: string; encoding: string } {
  const declared = markedEncoding(bytes) ?? declaredEncoding(bytes);
  for (const label of declared === undefined ? ['utf-8'] : [declared, 'utf-8']) {
    try {
      const decoder = new TextDecoder(label, { fatal: true });
      return { text: decoder.decode(bytes), encoding: decoder.encoding };
    } catch {
      // Not what it says it is; the bytes themselves decide.
    }
  }
  return decodeText(bytes);
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** Browsers look at the first 1,024 bytes. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const inMeta = /<meta[^>]*?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(head)?.[1];
  const inXml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w:.-]{2,40})/.exec(head)?.[1];
  const label = (inMeta ?? inXml)?.toLowerCase();
  return label?.startsWith('utf-16') ? 'utf-8' : label;
}
