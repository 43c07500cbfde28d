/**
 * DeepL takes terms as a glossary that is created first and named in the call. A passage gets a glossary of exactly its
 * own terms: one that grew with a book would force one partner's names upon another's text.
 */
import { createHash } from 'node:crypto';
import * as deepl from 'deepl-node';
import type { TermHint } from '../engine.ts';

export interface GlossaryCache {
  /** Undefined when there are no terms, or DeepL has no glossaries for this pair. */
  forTerms(source: string, target: string, terms: readonly TermHint[]): Promise<string | undefined>;
  close(): void;
}

/** An account may keep a thousand; passages that follow each other often have the same terms. */
const kept = 16;

export function createGlossaryCache(client: deepl.DeepLClient): GlossaryCache {
  /** By a hash of pair and terms; the oldest first. */
  const glossaries = new Map<string, Promise<string | undefined>>();
  const drop = (glossary: Promise<string | undefined>): void => {
    void glossary.then((id) => (id === undefined ? undefined : client.deleteGlossary(id))).catch(() => {});
  };

  const create = async (
    source: string,
    target: string,
    entries: Record<string, string>,
    name: string,
  ): Promise<string | undefined> => {
    try {
      const { glossaryId } = await client.createGlossary(
        name,
        source as deepl.SourceLanguageCode,
        target.split('-')[0] as deepl.SourceLanguageCode,
        new deepl.GlossaryEntries({ entries }),
      );
      return glossaryId;
    } catch (error) {
      // A pair without glossaries, or a term it does not like: the translation is still worth having.
      const isOurs = error instanceof deepl.DeepLError && /bad request/iu.test(error.message);
      if (isOurs || error instanceof deepl.ArgumentError) return undefined;
      throw error;
    }
  };

  return {
    async forTerms(source, target, terms) {
      const entries = Object.fromEntries(
        terms.filter((term) => isEntry(term.source) && isEntry(term.target)).map((term) => [term.source, term.target]),
      );
      if (Object.keys(entries).length === 0) return undefined;
      const content = JSON.stringify([source, target, Object.entries(entries).sort()]);
      const name = `toledo-${createHash('sha256').update(content).digest('hex').slice(0, 24)}`;
      const glossary = glossaries.get(name);
      if (glossary !== undefined) {
        glossaries.delete(name);
        glossaries.set(name, glossary);
        return await glossary;
      }
      const made = create(source, target, entries, name);
      glossaries.set(name, made);
      made.catch(() => glossaries.delete(name));
      const [oldest] = glossaries;
      if (glossaries.size > kept && oldest !== undefined) {
        glossaries.delete(oldest[0]);
        drop(oldest[1]);
      }
      return await made;
    },
    close() {
      for (const glossary of glossaries.values()) drop(glossary);
      glossaries.clear();
    },
  };
}

function isEntry(text: string): boolean {
  return text.trim() !== '' && !/[\p{Cc}]/u.test(text);
}
