/** The `text` of a request: a whole novel, kept as UTF-8 in the pieces in which it came. */
import type { AppError } from '../../errors.ts';
import { tooLarge, uploadFault } from './upload-faults.ts';
import type { UploadLimits } from './upload-limits.ts';

const maxBlockBytes = 64 * 1024;
/** A sample takes so many bytes of so many blocks; all of them where there are few. */
const sample = { blocks: 24, bytes: 3_000 };

type TextLimits = Pick<UploadLimits, 'requestBytes' | 'textCharacters'>;

/**
 * Checks each piece as it comes. Decoding, checking and encoding five megabytes in one go takes 50 ms, in which the process
 * answers nobody; in pieces others have their turn in between.
 */
export class LongText {
  sizeBytes = 0;
  readonly #blocks: Buffer[] = [];
  /** Free at the end of the last block: who sends byte by byte must not make millions of them. */
  #free = 0;
  readonly #limits: TextLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #characters = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  /** @param bytes part of a UTF-8 text, which may end inside a character. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
  addBytes(bytes: Uint8Array): void {
    this.#decode(bytes, true);
    this.#keep(bytes);
  }

  /** @param text well-formed. @throws PAYLOAD_TOO_LARGE */
  addString(text: string): void {
    this.#keep(Buffer.from(text));
  }

  /** @throws BAD_REQUEST when it ends inside a character */
  end(): void {
    this.#decode(new Uint8Array(), false);
  }

  *pieces(): Generator<Uint8Array> {
    for (const block of this.#blocks)
      yield block === this.#blocks.at(-1) ? block.subarray(0, block.length - this.#free) : block;
  }

  bytes(): Uint8Array {
    return Buffer.concat([...this.pieces()], this.sizeBytes);
  }

  /** From all over it, at most 72 kB; a character that was cut at an end of a stretch is a replacement character. */
  sample(): string {
    const blocks = [...this.pieces()];
    const step = Math.max(1, blocks.length / sample.blocks);
    const count = Math.min(blocks.length, sample.blocks);
    const bytes = Math.max(sample.bytes, Math.floor((sample.bytes * sample.blocks) / Math.max(1, count)));
    const stretches = Array.from({ length: count }, (_, i) => blocks[Math.floor(i * step)]?.subarray(0, bytes));
    return stretches.map((stretch) => Buffer.from(stretch ?? []).toString()).join('\n');
  }

  #decode(bytes: Uint8Array, stream: boolean): void {
    try {
      this.#decoder.decode(bytes, { stream });
    } catch {
      throw uploadFault('INVALID_ENCODING', 'The field text is not UTF-8.', 'text');
    }
  }

  #keep(piece: Uint8Array): void {
    this.sizeBytes += piece.length;
    this.#characters += charactersIn(piece);
    if (this.sizeBytes > this.#limits.requestBytes) throw this.#tooLarge({ bytes: this.#limits.requestBytes });
    if (this.#characters > this.#limits.textCharacters)
      throw tooLarge('The text', { characters: this.#limits.textCharacters }, 'text');
    for (let at = 0; at < piece.length; ) {
      if (this.#free === 0) this.#addBlock(piece.length - at);
      const block = this.#blocks.at(-1) as Buffer;
      const part = piece.subarray(at, at + this.#free);
      block.set(part, block.length - this.#free);
      this.#free -= part.length;
      at += part.length;
    }
  }

  /** As large as all before it, up to a limit: a sentence takes no more than it needs. */
  #addBlock(neededBytes: number): void {
    const before = this.#blocks.length * maxBlockBytes;
    this.#free = Math.max(neededBytes, Math.min(before, maxBlockBytes));
    this.#blocks.push(Buffer.allocUnsafe(this.#free));
  }

  #tooLarge(limit: { bytes: number }): AppError {
    return tooLarge('The field text', limit, 'text');
  }
}

/** Every byte but those that continue a character begins one. */
function charactersIn(utf8: Uint8Array): number {
  let characters = 0;
  for (const byte of utf8) if ((byte & 0xc0) !== 0x80) characters += 1;
  return characters;
}
