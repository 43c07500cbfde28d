/** Requests and answers about the service itself, for the reference and the OpenAPI document. */
import { defaultLimits as limits } from '../limits.ts';
import { base, bearer, type Example, inThree } from './three-languages.ts';

export const serviceExamples: Readonly<Record<string, Example[]>> = {
  listLanguages: inThree(
    `curl -s ${base}/languages ${bearer}`,
    `
const { pairs } = await toledo.languages();
for (const { source, target, quality } of pairs) console.log(source.join(' '), '→', target.join(' '), quality);`,
    `
for pair in requests.get(f"{base}/languages", headers=key).json()["data"]["pairs"]:
    print(" ".join(pair["source"]), "→", " ".join(pair["target"]), pair["quality"])`,
  ),
  getLimits: inThree(
    `curl -s ${base}/limits ${bearer}`,
    `
const limits = await toledo.limits();
console.log(limits.max_file_bytes, limits.max_text_characters);`,
    `
limits = requests.get(f"{base}/limits", headers=key).json()["data"]
print(limits["max_file_bytes"], limits["max_text_characters"])`,
  ),
};

export const serviceAnswers: Readonly<Record<string, object>> = {
  getHealth: { status: 'alive' },
  getReadiness: { status: 'ready' },
  listLanguages: {
    languages: [
      { code: 'en', name: 'English', native_name: 'English', script: 'Latn', direction: 'ltr' },
      { code: 'es', name: 'Spanish', native_name: 'español', script: 'Latn', direction: 'ltr' },
    ],
    pairs: [{ source: ['es'], target: ['en'], quality: 'draft' }],
  },
  getLimits: {
    max_file_bytes: limits.maxFileBytes,
    max_request_bytes: limits.maxRequestBytes,
    max_parts: limits.maxParts,
    max_field_bytes: limits.maxFieldBytes,
    max_text_characters: limits.maxTextCharacters,
    max_glossary_bytes: limits.maxGlossaryBytes,
    max_glossary_terms: limits.maxGlossaryTerms,
    max_term_bytes: limits.maxTermBytes,
    max_archive_bytes: limits.maxArchiveBytes,
    max_archive_entries: limits.maxArchiveEntries,
    max_archive_ratio: limits.maxArchiveRatio,
    max_xml_depth: limits.maxXmlDepth,
    rate_limit_per_minute: 60,
  },
};
