/**
 * Which passages of a book an engine is shown to judge the names that statistics have found. For each name these are two or
 * three short ones from different parts of the book. Reading the whole book again for its names costs as much prompt as
 * translating it.
 */
import { isUnspaced, scriptAt } from '../language/scripts.ts';
import { type ExtractionChunk, standingFor } from './extraction-plan.ts';
import { findTerms, indexTerms } from './match.ts';
import type { Candidate, MinedNames } from './mine/candidate.ts';

/** Statistics need a book: shorter texts are read whole. */
export const shortestBook = 30_000;
/** With fewer candidates the statistics do not see the names of this language or book: it is read whole. */
const charactersPerCandidate = 40_000;

export function canJudgeByPassages(characters: number, candidates: readonly Candidate[]): boolean {
  return characters >= shortestBook && candidates.length * charactersPerCandidate >= characters;
}

/** One passage each; a novel has fewer, and a text full of headings must not be asked about for ever. */
const charactersPerRareName = 1_500;
const mostPerChunk = 10;
const fewestPerChunk = 4;

/** Chunks of related candidates with their passages; and some openings of chapters, to say what the book is about. */
export function planPassages(
  sections: readonly (readonly string[])[],
  { candidates, rare }: MinedNames,
  options: { language: string; concurrency: number; characters: number },
): ExtractionChunk[] {
  const texts = sections.flat();
  const doubtful = new Set(rare.slice(0, Math.ceil(options.characters / charactersPerRareName)));
  const places = placesOf(texts, [...candidates, ...doubtful], options.language);
  const asked = relatedTogether([...candidates, ...doubtful].filter((candidate) => places.has(candidate)));
  const waves = Math.max(1, Math.ceil(asked.length / mostPerChunk / options.concurrency));
  const opened = openings(sections).map((text) => ({ text, candidates: [], passages: false }));
  const groups = Math.max(1, waves * options.concurrency - opened.length);
  const size = Math.max(fewestPerChunk, Math.ceil(asked.length / groups));
  const texted = chunked(asked, size).map((group) => ({
    text: passagesOf(group, places, texts).join('\n'),
    candidates: group.filter((one) => !doubtful.has(one)).map(({ source }) => source),
    doubtful: group.filter((one) => doubtful.has(one)).map(({ source }) => source),
    passages: true,
  }));
  const chunks = [...texted, ...opened].map((chunk, index) => ({ ...chunk, index, sections: [] }));
  return standingFor(chunks, options.characters);
}

interface Place {
  text: number;
  form: string;
}

/** Paragraphs that name each candidate, and how; one place for each paragraph. */
function placesOf(
  texts: readonly string[],
  candidates: readonly Candidate[],
  language: string,
): Map<Candidate, Place[]> {
  const index = indexTerms(candidates, language);
  const places = new Map<Candidate, Place[]>();
  for (const [i, text] of texts.entries()) {
    for (const { term, form } of findTerms(text, index)) {
      // Letter for letter, as the engine has to copy it.
      if (!text.includes(form)) continue;
      const own = places.getOrInsertComputed(term, () => []);
      if (own.at(-1)?.text !== i) own.push({ text: i, form });
    }
  }
  return places;
}

/** Strongest first, each followed by those that share a word with it, and by those that share one with these: a family. */
function relatedTogether(candidates: readonly Candidate[]): Candidate[] {
  const byWord = new Map<string, Candidate[]>();
  for (const candidate of candidates)
    for (const word of wordsOf(candidate.source)) byWord.getOrInsertComputed(word, () => []).push(candidate);
  const placed = new Set<Candidate>();
  for (const candidate of candidates) {
    const family = placed.has(candidate) ? [] : [candidate];
    // The list grows while it is gone through.
    for (const one of family) {
      placed.add(one);
      for (const word of wordsOf(one.source)) {
        for (const other of byWord.get(word) ?? [])
          if (!placed.has(other) && !family.includes(other)) family.push(other);
        byWord.delete(word);
      }
    }
  }
  return [...placed];
}

/** Words of a spaced script; of an unspaced one its first two and last two characters, where family and given names stand. */
function wordsOf(source: string): string[] {
  if (!isUnspaced(scriptAt(source, 0))) return source.split(/[\s·・-]+/u).filter((word) => word.length > 2);
  const characters = [...source];
  return [characters.slice(0, 2).join(''), characters.slice(-2).join('')];
}

function chunked<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** A passage that names several of the group serves all of them. */
function passagesOf(
  group: readonly Candidate[],
  places: ReadonlyMap<Candidate, Place[]>,
  texts: readonly string[],
): string[] {
  const lines: string[] = [];
  for (const candidate of group) {
    const own = places.get(candidate) ?? [];
    const wanted = Math.min(own.length, candidate.occurrences >= 5 ? 3 : candidate.occurrences >= 2 ? 2 : 1);
    for (let i = 0; i < wanted; i++) {
      const { text, form } = own[Math.floor((i * own.length) / wanted)] ?? { text: 0, form: candidate.source };
      if (i > 0 && lines.filter((line) => line.includes(form)).length > i) continue;
      const line = passage(texts[text] ?? '', form);
      if (!lines.includes(line)) lines.push(line);
    }
    // Where only other forms of it came, the engine would be asked for something that it does not see.
    if (!lines.some((line) => line.includes(candidate.source)))
      lines.push(passage(texts[own[0]?.text ?? 0] ?? '', own[0]?.form ?? candidate.source));
  }
  return lines;
}

/** Who somebody is stands before the name (a title) as well as behind it (what he or she does). */
const charactersBefore = 30;
const charactersAfter = 70;

function passage(text: string, form: string): string {
  const at = Math.max(0, text.indexOf(form));
  const unspaced = isUnspaced(scriptAt(form, 0));
  const scale = unspaced ? 0.5 : 1;
  const from = Math.max(0, at - charactersBefore * scale);
  const to = Math.min(text.length, at + form.length + charactersAfter * scale);
  const start = from === 0 || unspaced ? from : Math.min(at, text.indexOf(' ', from) + 1 || at);
  const lastSpace = text.lastIndexOf(' ', to);
  const end = to === text.length || unspaced || lastSpace < at + form.length ? to : lastSpace;
  return text.slice(start, end).replace(/\s+/gu, ' ').toWellFormed();
}

const openingsOfBook = 4;
const openingCharacters = 700;

/** The beginnings of a few chapters, evenly through the book. */
function openings(sections: readonly (readonly string[])[]): string[] {
  const told = sections.filter((texts) => texts.join('').length >= openingCharacters);
  const count = Math.min(openingsOfBook, told.length);
  return Array.from({ length: count }, (_, i) => {
    const texts = told[Math.floor((i * told.length) / count)] ?? [];
    return texts.join('\n').slice(0, openingCharacters).toWellFormed();
  });
}
