/** What the checks look at, and what they find. */
import type { ExpectedTerm } from './expected-term.ts';

/** What is wrong with the translation of one unit. */
export interface Fault {
  kind: FaultKind;
  /** For the engine: what to do better. Never contains text of the book. */
  message: string;
}

interface FaultRule {
  severity: 'reject' | 'flag';
  /** With nothing better after the whole ladder: deliver it with a warning, or keep the source uncharged? */
  atTheEnd: 'accept' | 'keep-source';
  /** For choosing the best of several answers: lower is better. */
  weight: number;
}

/**
 * `keep-source` only where the text is certainly no translation. Everything statistical ends in `accept`: a good
 * translation with an unusual shape is asked for once more, never refused.
 */
export const faultRules = {
  missing: { severity: 'reject', atTheEnd: 'keep-source', weight: 1_000 },
  refusal: { severity: 'reject', atTheEnd: 'keep-source', weight: 500 },
  obeyed: { severity: 'reject', atTheEnd: 'keep-source', weight: 500 },
  leak: { severity: 'reject', atTheEnd: 'keep-source', weight: 400 },
  'wrong-language': { severity: 'reject', atTheEnd: 'keep-source', weight: 300 },
  echo: { severity: 'reject', atTheEnd: 'keep-source', weight: 300 },
  repetition: { severity: 'reject', atTheEnd: 'keep-source', weight: 300 },
  truncated: { severity: 'reject', atTheEnd: 'keep-source', weight: 250 },
  collapsed: { severity: 'reject', atTheEnd: 'keep-source', weight: 250 },
  'title-lost': { severity: 'reject', atTheEnd: 'keep-source', weight: 250 },
  duplicate: { severity: 'reject', atTheEnd: 'accept', weight: 100 },
  shifted: { severity: 'reject', atTheEnd: 'accept', weight: 100 },
  merged: { severity: 'reject', atTheEnd: 'accept', weight: 80 },
  residue: { severity: 'reject', atTheEnd: 'accept', weight: 60 },
  suspect: { severity: 'reject', atTheEnd: 'accept', weight: 50 },
  cut: { severity: 'reject', atTheEnd: 'accept', weight: 45 },
  length: { severity: 'reject', atTheEnd: 'accept', weight: 40 },
  tags: { severity: 'reject', atTheEnd: 'accept', weight: 20 },
  'term-missed': { severity: 'flag', atTheEnd: 'accept', weight: 10 },
  'minor-residue': { severity: 'flag', atTheEnd: 'accept', weight: 5 },
  numbers: { severity: 'flag', atTheEnd: 'accept', weight: 3 },
  'line-breaks': { severity: 'flag', atTheEnd: 'accept', weight: 3 },
  quotes: { severity: 'flag', atTheEnd: 'accept', weight: 1 },
} as const satisfies Record<string, FaultRule>;

export type FaultKind = keyof typeof faultRules;

export function faultOf(kind: FaultKind, message: string): Fault {
  return { kind, message };
}

export const missing = faultOf('missing', 'The translation is missing or empty.');

export function weightOf(faults: readonly Fault[]): number {
  return faults.reduce((sum, fault) => sum + faultRules[fault.kind].weight, 0);
}

export function isRejected(faults: readonly Fault[]): boolean {
  return faults.some(({ kind }) => faultRules[kind].severity === 'reject');
}

/** The fault that forbids delivering this text, if any. */
export function refusingFault(faults: readonly Fault[]): Fault | undefined {
  return faults.find((fault) => faultRules[fault.kind].atTheEnd === 'keep-source');
}

/** What the checks look at. */
export interface CheckContext {
  sourceLang: string;
  targetLang: string;
  /** Sentences of the engines' own instructions: a book that holds one has given an order that was followed. */
  instructions?: readonly string[];
}

export interface CheckedUnit {
  id: string;
  kind: string;
  /** Both with inline tags. */
  source: string;
  translation: string;
  terms: readonly ExpectedTerm[];
}

export interface CheckInput extends CheckContext, CheckedUnit {
  cleanSource: string;
  cleanTranslation: string;
}
