/**
 * A .tgz as npm reads it. Thirty lines of our own are enough. A package of a few text files with short names needs one header
 * per file and nothing else of the format.
 */
import { gzipSync } from 'node:zlib';

export function tarball(files: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, text] of files) {
    const body = Buffer.from(text);
    parts.push(header(`package/${name}`, body.length), body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

function header(name: string, sizeBytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar header.`);
  const block = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o755, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  // A fixed time: the same files are the same bytes on every machine.
  block.write(octal(499_162_500, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
