import { decodeUtf8 } from './decode-utf8.ts';
import { type HeaderValue, parseHeaderValue } from './header-value.ts';
import { uploadFault } from './upload-faults.ts';

export interface PartHeaders {
  name: string;
  /** As sent, undefined when the part has none; see `safeFileName`. */
  fileName: string | undefined;
  mediaType: string | undefined;
  charset: string | undefined;
}

/** Parses the header lines of one part or throws BAD_REQUEST: we never guess or drop a part. */
export function readPartHeaders(lines: readonly Uint8Array[], partNumber: number): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const text = decodeUtf8(line);
    if (text === undefined) throw uploadFault('INVALID_ENCODING', `A header of part ${partNumber} is not UTF-8.`);
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*?)[ \t]*$/.exec(text);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined) throw malformed(partNumber, 'has a malformed header line');
    if (headers.has(name)) throw malformed(partNumber, `has the header ${name} twice`);
    headers.set(name, match?.[2] ?? '');
  }
  assertIdentityEncoding(headers.get('content-transfer-encoding'), partNumber);
  const type = readContentType(headers.get('content-type'), partNumber);
  return {
    ...readDisposition(headers.get('content-disposition'), partNumber),
    mediaType: type?.value,
    charset: type?.parameters.get('charset')?.toLowerCase(),
  };
}

function readDisposition(text: string | undefined, partNumber: number): Pick<PartHeaders, 'name' | 'fileName'> {
  if (text === undefined) throw malformed(partNumber, 'has no Content-Disposition header');
  const disposition = parseHeaderValue(text);
  if (disposition?.value !== 'form-data') throw malformed(partNumber, 'has a malformed Content-Disposition header');
  const name = disposition.parameters.get('name');
  if (name === undefined || name === '') throw malformed(partNumber, 'has no name');
  const extended = disposition.parameters.get('filename*');
  const plain = disposition.parameters.get('filename');
  const fileName = extended === undefined ? plain && undoFormEscapes(plain) : decodeExtended(extended, partNumber);
  return { name: undoFormEscapes(name), fileName };
}

/** Browsers and curl encode these three characters like this, and only these (HTML, "multipart/form-data" encoding). */
function undoFormEscapes(text: string): string {
  return text.replace(/%22|%0D|%0A/gi, (match) => decodeURIComponent(match));
}

/** `UTF-8''%E2%82%AC.txt` (RFC 8187). Not meant for forms (RFC 7578), yet some clients send it. */
function decodeExtended(text: string, partNumber: number): string {
  const match = /^(utf-8|iso-8859-1)'[A-Za-z0-9-]*'((?:%[0-9A-Fa-f]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/i.exec(text);
  if (!match) throw malformed(partNumber, 'has a malformed filename*');
  const bytes = Buffer.from(
    (match[2] ?? '').replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
  const decoded = match[1]?.toLowerCase() === 'utf-8' ? decodeUtf8(bytes) : bytes.toString('latin1');
  if (decoded === undefined) throw malformed(partNumber, 'has a malformed filename*');
  return decoded;
}

function readContentType(text: string | undefined, partNumber: number): HeaderValue | undefined {
  if (text === undefined || text === '') return undefined;
  const type = parseHeaderValue(text);
  if (!type?.value.includes('/')) throw malformed(partNumber, 'has a malformed Content-Type header');
  if (type.value.startsWith('multipart/')) throw malformed(partNumber, 'holds nested parts; send each file by itself');
  return type;
}

/** RFC 7578 retired base64 and quoted-printable in forms; storing them undecoded would translate gibberish. */
function assertIdentityEncoding(encoding: string | undefined, partNumber: number): void {
  if (encoding === undefined || /^(7bit|8bit|binary)$/i.test(encoding)) return;
  throw uploadFault('INVALID_ENCODING', `Part ${partNumber} must be sent without a Content-Transfer-Encoding.`);
}

function malformed(partNumber: number, what: string) {
  return uploadFault('MALFORMED_BODY', `Part ${partNumber} of the form ${what}.`);
}
