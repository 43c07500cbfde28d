/** What is done with a large glossary inside the sandbox: plain data in, plain data out. */
import type { Term } from '../term.ts';
import { canonicalGlossary, type GlossaryLimits, parseGlossary } from './glossary.ts';

/** A partner's glossary as a task keeps and compares it; nobody needs its terms until the task runs. */
export interface SentGlossary {
  /** The terms in JSON; undefined when there is none. */
  json: string | undefined;
  /** See `canonicalGlossary`. */
  canonical: string;
}

/** @param text JSON. @throws what `parseGlossary` throws */
export function readSentGlossary({ text, limits }: { text: string; limits: GlossaryLimits }): SentGlossary {
  const terms = parseGlossary(text, limits);
  return { json: terms.length > 0 ? JSON.stringify(terms) : undefined, canonical: canonicalGlossary(terms) };
}

/** @param json terms as a task keeps them */
export function canonicalTerms(json: string): string {
  return canonicalGlossary(JSON.parse(json) as Term[]);
}
