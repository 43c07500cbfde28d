import { createHash } from 'node:crypto';
import { setTimeout as delay, setImmediate as otherTurns } from 'node:timers/promises';
import { stripInlineTags } from '../../inline-tags.ts';
import type { TermType } from '../../term.ts';
import type {
  Engine,
  EngineUsage,
  ExtractRequest,
  ExtractResult,
  TranslateRequest,
  TranslateResult,
} from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { occursIn, pseudoName, pseudoTranslate } from './pseudo-translate.ts';
import { hashText } from './pseudo-words.ts';
import { scenarioOf } from './sandbox-scenarios.ts';

/**
 * An engine that needs nothing and always gives the same answer: every block comes back as invented words of the target language
 * between ⟦ and ⟧. No book contains these marks, so nobody can take it for a translation. A target such as `en-x-fail` makes it
 * misbehave; see `sandbox-scenarios.ts`.
 */
export function createSandboxEngine(options: { name?: string | undefined; slowMs?: number } = {}): Engine {
  const slowMs = options.slowMs ?? 3_000;
  const turnedAway = new Set<string>();

  const begin = async (request: TranslateRequest | ExtractRequest, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const scenario = scenarioOf(request.targetLang);
    if (scenario === 'fail') throw new EngineError('rejected', 'sandbox: rejected as asked');
    if (scenario === 'outage') throw new EngineError('overloaded', 'sandbox: down as asked');
    if (scenario === 'spend') throw new EngineError('spend-limit', 'sandbox: budget used up as asked');
    if (scenario === 'slow') await delay(slowMs, undefined, { signal });
    if (scenario !== 'flaky') return;
    const key = fingerprint(request);
    if (turnedAway.has(key)) return;
    if (turnedAway.size >= mostTurnedAway) turnedAway.clear();
    turnedAway.add(key);
    throw new EngineError('rate-limited', 'sandbox: turned away once as asked', { retryAfterMs: 100 });
  };

  return {
    name: options.name ?? 'sandbox',
    revision: '1',
    capabilities: {
      quality: 'sandbox',
      followsInstructions: true,
      keepsInlineTags: true,
      maxInputCharacters: 20_000,
      maxConcurrency: 16,
      local: true,
    },
    async translate(request, signal) {
      await begin(request, signal);
      return translate(request);
    },
    async extractTerms(request, signal) {
      await begin(request, signal);
      return await extractTerms(request);
    },
  };
}

/** Forgotten all at once, so that they never fill the memory. */
const mostTurnedAway = 10_000;

function translate(request: TranslateRequest): TranslateResult {
  const { blocks, targetLang } = request;
  const scenario = scenarioOf(targetLang);
  if (scenario === 'garbled' && blocks.length > 2) throw new EngineError('malformed', 'sandbox: unreadable as asked');
  const usage = usageOf(blocks.map((block) => block.text).join(''));
  const translations = new Map<string, string>();
  const answered = scenario === 'cutoff' && blocks.length > 1 ? blocks.slice(0, Math.ceil(blocks.length / 2)) : blocks;
  for (const block of answered) {
    const unlucky = isUnlucky(block.text);
    if (unlucky && (scenario === 'partial' || scenario === 'refuse')) {
      if (scenario === 'refuse' && blocks.length === 1) return { translations, finish: 'refused', usage };
      continue;
    }
    translations.set(block.id, unlucky && scenario === 'echo' ? block.text : render(block.text, request));
  }
  return { translations, finish: answered.length < blocks.length ? 'truncated' : 'complete', usage };
}

/** Short ones only: together they stay below the share of a book that may fail. */
function isUnlucky(text: string): boolean {
  return stripInlineTags(text).length <= maxUnluckyCharacters && hashText(text) % 5 === 0;
}

const maxUnluckyCharacters = 60;

function render(text: string, request: TranslateRequest): string {
  const scenario = scenarioOf(request.targetLang);
  const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/u.exec(text) ?? [];
  if (inner === '') return text;
  const source = scenario === 'tags' ? stripInlineTags(inner) : inner;
  const terms = scenario === 'terms' ? [] : request.terms;
  return `${before}⟦${pseudoTranslate(source, request.targetLang, terms)}⟧${after}`;
}

/** Each candidate is looked for in the whole text, and it is the worker's own process that looks. */
const candidatesPerTurn = 16;

async function extractTerms(request: ExtractRequest): Promise<ExtractResult> {
  const known = new Set(request.known.map((term) => term.source));
  const terms: string[] = [];
  for (const [i, candidate] of [...new Set(request.candidates)].entries()) {
    if (i % candidatesPerTurn === candidatesPerTurn - 1) await otherTurns();
    if (!known.has(candidate) && occursIn(request.text, candidate)) terms.push(candidate);
  }
  return {
    terms: terms.map((source) => ({
      source,
      target: pseudoName(source, request.targetLang),
      type: guessType(source),
      gender: 'unknown',
      aliases: terms.filter((other) => other !== source && isShortForm(other, source)),
    })),
    digest: `⟦${pseudoTranslate([...request.text].slice(0, 60).join('').trim(), request.targetLang, [])}⟧`,
    finish: 'complete',
    usage: usageOf(request.text),
  };
}

/** A short form is a beginning or an end of the long one: 明华 of 李明华, Alice of Alice Kelly. */
function isShortForm(short: string, long: string): boolean {
  if (guessType(long) !== 'unknown') return false;
  const spaced = /\s/u.test(long);
  return spaced
    ? long.startsWith(`${short} `) || long.endsWith(` ${short}`)
    : long.endsWith(short) && [...short].length >= 2;
}

const typeEndings: readonly (readonly [TermType, RegExp])[] = [
  ['place', /(?:[城山国國村河镇鎮谷峰岛島湖]|\b(?:City|Mountain|Valley|River|Village|Castle|Forest))$/u],
  ['organization', /(?:[宗门門派帮幫会會族]|\b(?:Guild|Order|Clan|Council|Company))$/u],
  ['item', /(?:[剑劍刀丹珠鼎]|\b(?:Sword|Blade|Ring|Stone|Pearl))$/u],
  ['skill', /(?:[诀訣功术術拳掌]|\b(?:Art|Technique|Spell))$/u],
];

function guessType(source: string): TermType {
  return typeEndings.find(([, pattern]) => pattern.test(source))?.[0] ?? 'unknown';
}

function usageOf(text: string): EngineUsage {
  const tokens = Math.ceil(text.length / 3);
  return { inputTokens: tokens, outputTokens: tokens, cachedInputTokens: 0 };
}

function fingerprint(request: TranslateRequest | ExtractRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}
