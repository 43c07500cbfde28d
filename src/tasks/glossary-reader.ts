/**
 * Reads glossaries and the terms of a series: few of them here, many in the sandbox. Twenty thousand terms take tens of
 * milliseconds and more, in which this process would answer nobody.
 */
import { canonicalGlossary, type GlossaryLimits } from '../glossary/glossary.ts';
import { canonicalTerms, readSentGlossary, type SentGlossary } from '../glossary/glossary-jobs.ts';
import type { Limits } from '../limits.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TermRows } from '../series/term-rows.ts';
import { readSeriesTerms, type SentSeriesTerms } from './series-term-jobs.ts';
import { glossaryBudget } from './work-budget.ts';

export const glossaryJobs = jobModule<typeof import('../glossary/glossary-jobs.ts')>(
  new URL('../glossary/glossary-jobs.ts', import.meta.url),
);

export const seriesTermJobs = jobModule<typeof import('./series-term-jobs.ts')>(
  new URL('series-term-jobs.ts', import.meta.url),
);

/** Up to this length a glossary is read in about a millisecond: less than a child takes to answer on a busy machine. */
const smallLength = 16 * 1024;

export class GlossaryReader {
  readonly #sandbox: Sandbox;
  readonly #limits: Limits;

  constructor({ sandbox, limits }: { sandbox: Sandbox; limits: Limits }) {
    this.#sandbox = sandbox;
    this.#limits = limits;
  }

  /** @param text as it was sent. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async read(text: string | undefined, owner: string): Promise<SentGlossary> {
    if (text === undefined) return { json: undefined, canonical: canonicalGlossary([]) };
    const sent = { text, limits: this.#termLimits };
    if (text.length <= smallLength) return readSentGlossary(sent);
    return await this.#sandbox.run(glossaryJobs, 'readSentGlossary', sent, { ...glossaryBudget, owner });
  }

  /** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async seriesTerms(sent: Omit<SentSeriesTerms, 'limits'>, owner: string): Promise<TermRows> {
    const bounded = { ...sent, limits: this.#termLimits };
    if (sent.body.byteLength <= smallLength) return await readSeriesTerms(bounded);
    return await this.#sandbox.run(seriesTermJobs, 'readSeriesTerms', bounded, { ...glossaryBudget, owner });
  }

  get #termLimits(): GlossaryLimits {
    const { maxGlossaryBytes: maxBytes, maxGlossaryTerms: maxTerms, maxTermBytes } = this.#limits;
    return { maxBytes, maxTerms, maxTermBytes };
  }

  /** @param json terms as a task keeps them; undefined when it has none */
  async canonical(json: string | undefined, owner: string): Promise<string> {
    if (json === undefined) return canonicalGlossary([]);
    if (json.length <= smallLength) return canonicalTerms(json);
    return await this.#sandbox.run(glossaryJobs, 'canonicalTerms', json, { ...glossaryBudget, owner });
  }
}
