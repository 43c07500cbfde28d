import type { Static } from 'typebox';
import type { Limits } from '../limits.ts';
import type { PublishedLimits } from './schemas.ts';

/** The limits as partners see them. */
export function limitsView(limits: Limits, rateLimitPerMinute: number): Static<typeof PublishedLimits> {
  return {
    max_file_bytes: limits.maxFileBytes,
    max_request_bytes: limits.maxRequestBytes,
    max_json_request_bytes: limits.maxJsonRequestBytes,
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
    rate_limit_per_minute: rateLimitPerMinute,
  };
}
