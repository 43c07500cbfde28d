/**
 * Reads glossaries: short ones here, long ones in the sandbox. Twenty thousand terms take tens of
 * milliseconds and more, in which this process would answer nobody.
 */
import { canonicalGlossary, canonicalTerms, readSentGlossary, type SentGlossary } from '../glossary/glossary.ts';
import type { Limits } from '../limits.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { glossaryBudget } from './work-budget.ts';

export const glossaryJobs = jobModule<typeof import('../glossary/glossary.ts')>(
  new URL('../glossary/glossary.ts', import.meta.url),
);

/** Up to this length a glossary is read in about a millisecond: less than a child takes to answer on a busy machine. */
const smallLength = 16 * 1024;

export class GlossaryReader {
  readonly #deps: { sandbox: Sandbox; limits: Limits };

  constructor(deps: { sandbox: Sandbox; limits: Limits }) {
    this.#deps = deps;
  }

  /** @param text as it was sent. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async read(text: string | undefined, owner: string): Promise<SentGlossary> {
    if (text === undefined) return { json: undefined, canonical: canonicalGlossary([]) };
    const sent = { text, limits: this.#deps.limits };
    if (text.length <= smallLength) return readSentGlossary(sent);
    return await this.#deps.sandbox.run(glossaryJobs, 'readSentGlossary', sent, { ...glossaryBudget, owner });
  }

  /** @param json terms as a task keeps them; undefined when it has none */
  async canonical(json: string | undefined, owner: string): Promise<string> {
    if (json === undefined) return canonicalGlossary([]);
    if (json.length <= smallLength) return canonicalTerms(json);
    return await this.#deps.sandbox.run(glossaryJobs, 'canonicalTerms', json, { ...glossaryBudget, owner });
  }
}
