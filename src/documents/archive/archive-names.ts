/** Names of archive entries: decoded, and refused when they could leave the place where they are unpacked. */
import { sourceFault } from '../source-faults.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws BAD_REQUEST ARCHIVE_PATH */
export function safeEntryName(nameBytes: Uint8Array, isUtf8: boolean): string {
  const name = decodeName(nameBytes, isUtf8);
  const segments = name.split('/');
  if (segments.at(-1) === '') segments.pop();
  const safe =
    name.length > 0 &&
    name.length <= 1024 &&
    !/[\u0000-\u001f\u007f\\]/.test(name) &&
    !/^[A-Za-z]:/.test(name) &&
    segments.length > 0 &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!safe) throw sourceFault('ARCHIVE_PATH');
  return name;
}

/** Many writers store UTF-8 without saying so; what is not UTF-8 is read byte for byte, only to be copied and compared. */
function decodeName(nameBytes: Uint8Array, isUtf8: boolean): string {
  try {
    return utf8.decode(nameBytes);
  } catch {
    if (isUtf8) throw sourceFault('ARCHIVE_PATH');
    return Buffer.from(nameBytes).toString('latin1');
  }
}

/** The name of the entry that `target`, written in the entry `base`, leads to. */
export function resolvePath(base: string, target: string): string {
  const segments = target.startsWith('/') ? [] : base.split('/').slice(0, -1);
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
