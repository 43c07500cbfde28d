/**
 * All bytes of a stream, in one buffer that grows: a client that sends byte by byte must not make millions of small ones.
 * @param tooLarge what is thrown when there are more than `maxBytes`
 */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of chunks) {
    if (length + chunk.length > maxBytes) throw tooLarge();
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + chunk.length));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(chunk, length);
    length += chunk.length;
  }
  return buffer.subarray(0, length);
}
