const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, or undefined when the bytes are not UTF-8: a wrong byte must never become U+FFFD in a partner's novel. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
