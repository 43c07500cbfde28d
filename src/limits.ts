/** The published limits (contract section 9). Operators may change the first four by settings; the rest are fixed. */
export interface Limits {
  maxFileBytes: number;
  maxRequestBytes: number;
  /** A request in JSON or in urlencoded form. */
  maxJsonRequestBytes: number;
  maxTextCharacters: number;
  maxArchiveBytes: number;
  maxParts: number;
  maxFieldBytes: number;
  maxGlossaryBytes: number;
  maxGlossaryTerms: number;
  maxTermBytes: number;
  maxArchiveEntries: number;
  maxArchiveRatio: number;
  maxXmlDepth: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: Readonly<Limits> = Object.freeze({
  maxFileBytes: 50 * mebibyte,
  maxRequestBytes: 52 * mebibyte,
  maxJsonRequestBytes: 2 * mebibyte,
  maxTextCharacters: 20_000_000,
  maxArchiveBytes: 300 * mebibyte,
  maxParts: 20,
  maxFieldBytes: 64 * 1024,
  maxGlossaryBytes: mebibyte,
  maxGlossaryTerms: 20_000,
  maxTermBytes: 1024,
  maxArchiveEntries: 10_000,
  maxArchiveRatio: 100,
  maxXmlDepth: 256,
});
