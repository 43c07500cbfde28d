const mebibyte = 1024 * 1024;

/** The published limits (contract section 9). Operators may change some of them by settings; the rest are fixed. */
export const defaultLimits = Object.freeze({
  maxFileBytes: 50 * mebibyte,
  maxRequestBytes: 52 * mebibyte,
  /** A request in JSON or in urlencoded form. */
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

export type Limits = { [Name in keyof typeof defaultLimits]: number };
