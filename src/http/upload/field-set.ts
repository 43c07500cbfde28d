import { isUtf8 } from 'node:buffer';
import { type AppError, badRequest } from '../../errors.ts';
import { tooLarge, uploadFault } from './upload-faults.ts';
import type { UploadLimits } from './upload-limits.ts';

/** Collects the fields of one request, in any of its three forms, under the same rules. */
export class FieldSet {
  readonly values = new Map<string, string>();
  readonly #limits: UploadLimits;
  readonly #takesText: boolean;
  #text: Uint8Array | undefined;

  /** @param takesText `text` is a whole novel, and not a field like others */
  constructor(limits: UploadLimits, { takesText }: { takesText: boolean }) {
    this.#limits = limits;
    this.#takesText = takesText;
  }

  /** UTF-8. */
  get text(): Uint8Array | undefined {
    return this.#text;
  }

  /** Call this before reading the value. Throws BAD_REQUEST for a bad or repeated name. */
  admit(name: string): void {
    if (name === '' || name.length > 100 || !name.isWellFormed()) {
      throw uploadFault('MALFORMED_BODY', 'A field has an empty or overlong name.');
    }
    if (this.values.has(name) || (name === 'text' && this.#text !== undefined))
      throw uploadFault('DUPLICATE_FIELD', `The field ${name} was sent twice.`, name);
    if (this.values.size >= this.#limits.parts) {
      throw uploadFault('TOO_MANY_PARTS', `The request has more than ${this.#limits.parts} fields.`);
    }
  }

  /** Throws BAD_REQUEST or PAYLOAD_TOO_LARGE. */
  add(name: string, value: string): void {
    this.admit(name);
    if (!value.isWellFormed()) throw uploadFault('INVALID_ENCODING', `The field ${name} is not valid Unicode.`, name);
    if (value.length > this.maxBytes(name)) throw this.tooLarge(name);
    const bytes = Buffer.from(value);
    if (bytes.length > this.maxBytes(name)) throw this.tooLarge(name);
    if (this.#isText(name)) {
      this.#setText(bytes);
      return;
    }
    if (value.includes('\0')) throw uploadFault('INVALID_VALUE', `The field ${name} holds a NUL character.`, name);
    this.values.set(name, value);
  }

  /** Throws BAD_REQUEST or PAYLOAD_TOO_LARGE. A wrong byte must never become U+FFFD in a partner's novel. */
  addBytes(name: string, bytes: Buffer): void {
    if (!isUtf8(bytes)) throw uploadFault('INVALID_ENCODING', `The field ${name} is not UTF-8.`, name);
    if (this.#isText(name)) {
      this.admit(name);
      this.#setText(bytes);
    } else this.add(name, bytes.toString());
  }

  maxBytes(name: string): number {
    if (this.#isText(name)) return this.#limits.requestBytes;
    return name === 'glossary' ? this.#limits.glossaryBytes : this.#limits.fieldBytes;
  }

  tooLarge(name: string): AppError {
    return tooLarge(`The field ${name}`, { bytes: this.maxBytes(name) }, name);
  }

  #setText(bytes: Uint8Array): void {
    if (bytes.includes(0))
      throw badRequest('The text holds the character U+0000, which no text may hold; leave it out.', {
        field: 'text',
        reason: 'NOT_TEXT',
      });
    const { textCharacters } = this.#limits;
    if (bytes.length > textCharacters && charactersIn(bytes) > textCharacters)
      throw tooLarge('The text', { characters: textCharacters }, 'text');
    this.#text = bytes;
  }

  #isText(name: string): boolean {
    return name === 'text' && this.#takesText;
  }
}

/** Every byte but those that continue a character begins one. */
function charactersIn(utf8: Uint8Array): number {
  let characters = 0;
  for (const byte of utf8) if ((byte & 0xc0) !== 0x80) characters += 1;
  return characters;
}
