import { createHash } from 'node:crypto';
import type { BookBrief, TermHint } from '../../engines/engine.ts';
import { type Segment, segmentPolicyVersion } from './segment.ts';

export interface SegmentKeyInput {
  /** Changes when the same request may be answered differently: engines, their models and prompts. */
  enginePolicy: string;
  sourceLang: string;
  targetLang: string;
  /** Only the terms that occur in the segment: a new name elsewhere in the book keeps the translation valid. */
  terms: readonly TermHint[];
  brief: Pick<BookBrief, 'style' | 'background'>;
}

/** Equal keys mean an interchangeable translation, so a full run takes over the preview's segments word for word. */
export function segmentKey(segment: Pick<Segment, 'units'>, input: SegmentKeyInput): string {
  const terms = input.terms
    .map(({ source, target, type, gender, note }) => [source, target, type ?? '', gender ?? '', note ?? ''])
    .sort((a, b) => (a.join('\u0000') < b.join('\u0000') ? -1 : 1));
  const content = [
    segmentPolicyVersion,
    input.enginePolicy,
    input.sourceLang,
    input.targetLang,
    input.brief.style ?? '',
    input.brief.background ?? '',
    segment.units.map((unit) => [unit.kind, unit.text.normalize('NFC')]),
    terms,
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
