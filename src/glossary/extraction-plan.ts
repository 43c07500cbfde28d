/** How a book is cut for the extraction of terms, and what is made of the digests that come with them. */

import { estimateTokens } from '../language/estimate-tokens.ts';
import { findTerms, indexTerms } from './match.ts';
import type { Candidate } from './mine/candidate.ts';

export interface ExtractionChunk {
  index: number;
  text: string;
  /** Sections that start in this chunk or continue in it. */
  sections: number[];
  /** Mined candidates that occur in it, strongest first. */
  candidates: string[];
  /** Also asked about, of an engine that can judge: rare words that may be names. */
  doubtful?: string[];
  /** The text is passages chosen for the candidates, and only these are asked about. */
  passages?: boolean;
  /** Characters of the book that it stands for, where that is not its own text. */
  characters?: number;
}

// 10,000 tokens is what current models read without missing names in the middle; below 2,500 the votes get thin.
const maxChunkTokens = 10_000;
const minChunkTokens = 2_500;
const maxCandidatesPerChunk = 150;

/** `sections`: paragraphs without inline tags. Chunks end at paragraphs and prefer the ends of sections. */
export function planExtraction(
  sections: readonly (readonly string[])[],
  candidates: readonly Candidate[],
  options: { language: string; concurrency: number },
): ExtractionChunk[] {
  const pieces = sections.map((texts) => texts.flatMap(sliced).map((text) => ({ text, tokens: estimateTokens(text) })));
  const total = pieces.flat().reduce((sum, { tokens }) => sum + tokens, 0);
  // Whole waves: 70 chunks, 32 at a time, take as long as 96, so cut into 96 smaller ones.
  const waves = Math.max(1, Math.ceil(total / maxChunkTokens / options.concurrency));
  const size = Math.max(minChunkTokens, Math.min(maxChunkTokens, Math.ceil(total / (waves * options.concurrency))));
  const chunks: ExtractionChunk[] = [];
  let lines: string[] = [];
  let filled = 0;
  let members = new Set<number>();
  const close = (): void => {
    if (lines.length > 0)
      chunks.push({ index: chunks.length, text: lines.join('\n'), sections: [...members], candidates: [] });
    lines = [];
    filled = 0;
    members = new Set();
  };
  for (const [section, paragraphs] of pieces.entries()) {
    // A chapter that would end just past the limit starts a chunk of its own.
    if (filled > size * 0.7) close();
    for (const { text, tokens } of paragraphs) {
      if (filled + tokens > Math.min(size * 1.1, maxChunkTokens)) close();
      lines.push(text);
      filled += tokens;
      members.add(section);
    }
  }
  close();
  const index = indexTerms(candidates, options.language);
  for (const chunk of chunks) {
    const found = new Set(findTerms(chunk.text, index).map(({ term }) => term));
    chunk.candidates = [...found]
      .sort((a, b) => b.strength - a.strength || (a.source < b.source ? -1 : 1))
      .slice(0, maxCandidatesPerChunk)
      .map(({ source }) => source);
  }
  return chunks;
}

/** Together they stand for the whole text. */
export function standingFor(chunks: readonly ExtractionChunk[], characters: number): ExtractionChunk[] {
  const share = Math.floor(characters / Math.max(1, chunks.length));
  return chunks.map((chunk) => ({
    ...chunk,
    characters: chunk.index === 0 ? characters - share * (chunks.length - 1) : share,
  }));
}

/** What every segment is told about the book; both parts in the target language, as the engine wrote them. */
export interface Brief {
  /** At most 500 characters. */
  synopsis: string;
  /** By section, at most 200 characters each; empty when nothing is known. */
  digests: string[];
}

export function composeBrief(
  chunks: readonly ExtractionChunk[],
  digests: readonly string[],
  sectionCount: number,
): Brief {
  const bySection = new Array<string>(sectionCount).fill('');
  for (const chunk of chunks) {
    const digest = shorten(digests[chunk.index] ?? '', 200);
    for (const section of chunk.sections) if (bySection[section] === '') bySection[section] = digest;
  }
  const told = digests.filter((digest) => digest.trim() !== '');
  // The opening matters most (who and where); then as many evenly spaced stretches as fit.
  const picks = Math.min(told.length, 5);
  const chosen = Array.from({ length: picks }, (_, i) => told[Math.floor((i * told.length) / picks)] ?? '');
  const synopsis = chosen.map((digest) => shorten(digest, Math.floor(500 / Math.max(1, picks)) - 1)).join(' ');
  return { synopsis, digests: bySection };
}

/** Cut at a sentence end when one lies in the second half, else at a word. */
function shorten(text: string, limit: number): string {
  const clean = text.replace(/\s+/g, ' ').trim();
  const characters = [...clean];
  if (characters.length <= limit) return clean;
  const cut = characters.slice(0, limit).join('');
  const end = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => cut.lastIndexOf(mark)));
  if (end > cut.length / 2) return cut.slice(0, end + 1).trim();
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > cut.length / 2 ? space : cut.length - 1).trim()}…`;
}

/** A paragraph beyond a whole chunk (a book without line breaks) is cut by length; names at a cut are found elsewhere. */
function sliced(text: string): string[] {
  const tokens = estimateTokens(text);
  if (tokens <= maxChunkTokens) return [text];
  const count = Math.ceil((tokens * 1.1) / maxChunkTokens);
  const length = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, i) => text.slice(i * length, (i + 1) * length)).filter(
    (piece) => piece !== '',
  );
}
