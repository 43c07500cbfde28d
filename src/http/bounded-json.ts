/**
 * Looks through a JSON body of megabytes before it is parsed, with turns for other requests in between: what matters is not its
 * size but how many values it has, because eight megabytes of small members keep `JSON.parse` busy for seconds.
 */
import { setImmediate as otherTurns } from 'node:timers/promises';
import { AppError } from '../errors.ts';

export interface JsonBounds {
  /** In the whole body. */
  values: number;
  /** In one object. */
  members: number;
}

const pieceBytes = 256 * 1024;
const maxDepth = 8;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Looks a body through that may be JSON. @throws PAYLOAD_TOO_LARGE */
export async function boundJson(body: Buffer, bounds: JsonBounds): Promise<void> {
  const count = new ValueCount(bounds);
  for (let at = 0; at < body.length; at += pieceBytes) {
    count.push(body.subarray(at, at + pieceBytes));
    await otherTurns();
  }
}

/** Knows only quotes, brackets and commas; whether the rest is JSON is for the parser to say. */
class ValueCount {
  readonly #bounds: JsonBounds;
  #values = 0;
  /** Commas seen in each open bracket; NaN for a list, which may have as many as there may be in all. */
  readonly #open: number[] = [];
  #isInString = false;
  #isEscaped = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** @throws PAYLOAD_TOO_LARGE */
  push(piece: Uint8Array): void {
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
      } else if (byte === quote) this.#isInString = true;
      else if (byte === 0x7b || byte === 0x5b) this.#enter(byte === 0x7b ? 0 : Number.NaN);
      else if (byte === 0x7d || byte === 0x5d) this.#open.pop();
      else if (byte === comma) this.#next();
    }
  }

  #enter(members: number): void {
    this.#open.push(members);
    this.#values += 1;
    if (this.#open.length > maxDepth || this.#values > this.#bounds.values) throw tooMany(this.#bounds);
  }

  #next(): void {
    this.#values += 1;
    const top = this.#open.length - 1;
    const members = (this.#open[top] ?? Number.NaN) + 1;
    this.#open[top] = members;
    if (members >= this.#bounds.members || this.#values > this.#bounds.values) throw tooMany(this.#bounds);
  }
}

function tooMany({ values, members }: JsonBounds): AppError {
  const message = `The body has more than ${values} values, more than ${members} in one object, or more than ${maxDepth} levels.`;
  return new AppError('PAYLOAD_TOO_LARGE', message, { details: { field: 'body', reason: 'TOO_MANY_VALUES' } });
}
