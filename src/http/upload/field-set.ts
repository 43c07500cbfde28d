import type { AppError } from '../../errors.ts';
import { LongText } from './long-text.ts';
import { tooLarge, uploadFault } from './upload-faults.ts';
import type { UploadLimits } from './upload-limits.ts';

/** Collects the fields of one request, in any of its three forms, under the same rules. */
export class FieldSet {
  readonly values = new Map<string, string>();
  readonly #limits: UploadLimits;
  readonly #takesText: boolean;
  #text: LongText | undefined;

  /** @param takesText `text` is a whole novel, and not a field like others */
  constructor(limits: UploadLimits, { takesText }: { takesText: boolean }) {
    this.#limits = limits;
    this.#takesText = takesText;
  }

  get text(): LongText | undefined {
    return this.#text;
  }

  get maxFields(): number {
    return this.#limits.parts;
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

  /** Where the pieces of the field go, when it is the text. Throws BAD_REQUEST like `admit`. */
  openText(name: string): LongText | undefined {
    if (!this.#isText(name)) return undefined;
    this.admit(name);
    this.#text = new LongText(this.#limits);
    return this.#text;
  }

  /** Throws BAD_REQUEST or PAYLOAD_TOO_LARGE. */
  add(name: string, value: string): void {
    const text = this.openText(name);
    if (text) {
      text.addString(value);
      return;
    }
    this.admit(name);
    if (value.length > this.maxBytes(name) || Buffer.byteLength(value) > this.maxBytes(name)) throw this.tooLarge(name);
    if (!value.isWellFormed()) throw uploadFault('INVALID_ENCODING', `The field ${name} is not valid Unicode.`, name);
    if (value.includes('\0')) throw uploadFault('INVALID_VALUE', `The field ${name} holds a NUL character.`, name);
    this.values.set(name, value);
  }

  maxBytes(name: string): number {
    if (this.#isText(name)) return this.#limits.requestBytes;
    return name === 'glossary' ? this.#limits.glossaryBytes : this.#limits.fieldBytes;
  }

  tooLarge(name: string): AppError {
    return tooLarge(`The field ${name}`, { bytes: this.maxBytes(name) }, name);
  }

  #isText(name: string): boolean {
    return name === 'text' && this.#takesText;
  }
}
