/** What the steps of a book's translation share. */
import type { Document } from '../documents/document.ts';
import type { EngineCapabilities } from '../engines/engine.ts';
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import type { SpanAttributes } from '../platform/tracing.ts';
import type { Term } from '../term.ts';
import type { ExtractTerms } from './analyse-book.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { CheckContext } from './checks/fault.ts';
import type { BookEditor } from './editing.ts';
import type { BookMemory } from './memory/book-memory.ts';
import type { Recalled } from './memory/recall.ts';
import type { Segment } from './plan/segment.ts';
import type { SegmentWork } from './segment-request.ts';
import type { Translate } from './translate-segment.ts';
import type { WriteSheet } from './write-sheet.ts';

export interface BookEngines {
  translate: Translate;
  /** Absent when no engine can find terms. */
  extractTerms?: ExtractTerms;
  /** Absent when no engine reads instructions. */
  writeSheet?: WriteSheet;
  /** Absent where nobody goes over the translation. */
  editor?: BookEditor;
  /** In order of preference. */
  capabilities: readonly EngineCapabilities[];
  /** Changes when the same request may be answered differently; part of segment keys. */
  policy: string;
}

export interface BookInput {
  document: Document;
  sourceLang: string;
  targetLang: string;
  /** What the text is certainly in, where that is not `sourceLang`: repairs end early then. */
  contradictingLang?: string | undefined;
  glossary: readonly Term[];
  strategy: GlossaryStrategy;
  /** How the partner wants it to read, and what the translator should know. */
  style?: string | undefined;
  background?: string | undefined;
  engines: BookEngines;
  checkpoint: Checkpoint;
  /** Absent = every block is new. */
  memory?: BookMemory;
  concurrency: number;
  /** `free`: every segment by itself, with the source before it. Absent = runs, for engines that read what was translated before. */
  order?: 'runs' | 'free' | undefined;
  onStage?: (stage: 'preparing' | 'translating' | 'finalizing') => void;
  /** Parts of the text that are analysed. */
  onAnalysis?: (done: number, total: number) => void;
  /** Before the first segment is committed. */
  onPlan?: (tasks: readonly SegmentTask[], recalled: Recalled) => Promise<void>;
  /** Characters whose segments are committed; never falls. */
  onProgress?: (doneCharacters: number, totalCharacters: number) => void;
  /** Above this share of failed characters the task fails. */
  maxFailedShare?: number;
}

/** A segment with everything its translation depends on. */
export interface SegmentTask {
  segment: Segment;
  key: string;
  work: SegmentWork;
}

export function checksOf(input: BookInput): CheckContext {
  const { capabilities, editor } = input.engines;
  const all = editor === undefined ? capabilities : [...capabilities, editor.capabilities];
  const instructions = [...new Set(all.flatMap((engine) => engine.instructions ?? []))];
  return { sourceLang: input.sourceLang, targetLang: input.targetLang, instructions };
}

/** Characters that may be left untranslated in a book that is delivered. */
export function mayFail({ document, maxFailedShare = 0.05 }: BookInput): number {
  return document.characters * maxFailedShare;
}

export function segmentAttributes({ segment }: SegmentTask, { sourceLang, targetLang }: BookInput): SpanAttributes {
  return {
    segment: segment.index,
    section: segment.section,
    units: segment.units.length,
    characters: segment.characters,
    source_lang: sourceLang,
    target_lang: targetLang,
  };
}
