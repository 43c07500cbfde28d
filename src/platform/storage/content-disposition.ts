/**
 * `Content-Disposition: attachment` with a file name in any script (RFC 6266). Old clients read `filename`, an
 * ASCII likeness; all others read `filename*`, the exact name in UTF-8 (RFC 8187). The result is printable
 * ASCII whatever the name holds, so it can neither end the header nor begin another.
 */
export function contentDisposition(fileName: string): string {
  const name = safeFileName(fileName);
  const likeness = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    // A percent sign is replaced because some browsers decode "%41" in the plain form, too.
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const plain = `attachment; filename="${likeness}"`;
  return likeness === name ? plain : `${plain}; filename*=UTF-8''${encodeExtended(name)}`;
}

/** `<stem>.<target_lang>.<ext>`: `Vår bok.epub` to `zh-Hant` is `Vår bok.zh-Hant.epub`. */
export function outputFileName(sourceName: string, targetLang: string, extension: string): string {
  const ending = `.${targetLang}.${extension}`;
  const name = safeFileName(sourceName);
  // An extension may be double: `a.fb2.zip` to `en` is `a.en.fb2.zip`.
  const isWhole = name.length > extension.length + 1 && name.toLowerCase().endsWith(`.${extension}`);
  const stem = isWhole ? name.slice(0, -extension.length - 1) : name.replace(/(?<=.)\.[\p{L}\p{N}]{1,10}$/u, '');
  return truncate(stem, maxNameBytes - Buffer.byteLength(ending)) + ending;
}

const maxNameBytes = 255;

/**
 * A name that is safe to show, to send and to save, from any file name. It is the part after the last slash of either
 * kind, not only dots, at most 255 bytes without cutting a character. It has no control characters and no invisible
 * ones that turn the reading direction ("annexe\u202Efdp.exe" reads as a PDF).
 */
export function safeFileName(name: string, fallback = 'file'): string {
  const base = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const visible = base
    .replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu, '')
    .trim();
  return /^\.*$/.test(visible) ? fallback : shorten(visible);
}

/** Keeps the extension, which says what the file is. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? '';
  return (
    truncate(name.slice(0, name.length - extension.length), maxNameBytes - Buffer.byteLength(extension)) + extension
  );
}

function truncate(text: string, maxBytes: number): string {
  let end = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return text.slice(0, end).trimEnd();
    end += character.length;
  }
  return text;
}

/** `encodeURIComponent` leaves four characters alone that RFC 8187 wants encoded. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
