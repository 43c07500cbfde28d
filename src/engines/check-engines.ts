/** Real calls to engines, for the operator who wants to know now and not from the first book. One tells whether an engine answers, three what it can do. */
import { estimateTokens } from '../language/estimate-tokens.ts';
import { parseLanguage } from '../language/languages.ts';
import { costOf } from './call-cost.ts';
import { createEngine } from './create-engine.ts';
import { type Engine, type EngineUsage, type ModelTraits, noUsage } from './engine.ts';
import { adapting, EngineError } from './engine-error.ts';
import type { EngineConfig } from './engine-settings.ts';

export interface EngineFinding {
  engine: string;
  ok: boolean;
  finding: string;
}

/** What came of one call, in words and in figures. */
interface EngineAnswer extends Omit<EngineFinding, 'engine'> {
  seconds: number;
  usage: EngineUsage;
}

const timeoutMs = 60_000;

export async function checkEngines(configs: readonly EngineConfig[]): Promise<EngineFinding[]> {
  return await Promise.all(configs.map(checkEngine));
}

async function checkEngine(config: EngineConfig): Promise<EngineFinding> {
  const engine = await createEngine(config);
  try {
    const { ok, finding } = await askOnce(engine, config, 'Bonjour.');
    return { engine: config.name, ok, finding };
  } finally {
    engine.close?.();
  }
}

/** Has a French text translated, or a text of another language where the engine does not serve French. */
async function askOnce(engine: Engine, config: EngineConfig, text: string): Promise<EngineAnswer> {
  const { source, target } = engine.capabilities.pairs?.[0] ?? {};
  const sourceLang = source === undefined || source.includes('fr') ? 'fr' : (source[0] ?? 'fr');
  const targetLang = target === undefined || target.includes('en') ? 'en' : (target[0] ?? 'en');
  const request = {
    sourceLang: parseLanguage(sourceLang)?.code ?? sourceLang,
    targetLang,
    blocks: [{ id: 'b1', text }],
    terms: [],
    roster: [],
    context: { before: [], after: [] },
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await adapting(async () => {
      const started = performance.now();
      const { translations, usage } = await engine.translate(request, signal);
      const seconds = (performance.now() - started) / 1000;
      const ok = translations.has('b1');
      const finding = ok ? `answers within ${seconds.toFixed(1)} s` : 'answers, but gives no translation';
      return { ok, finding, seconds, usage };
    });
  } catch (error) {
    const said = error instanceof EngineError ? error.message : `no answer within ${timeoutMs / 1000} s`;
    return { ok: false, finding: `${said}${placeOf(config)}`, seconds: 0, usage: noUsage };
  }
}

/** Where it was asked, for the operator who has mistyped it; never a user or a key that stands in the address. */
function placeOf(config: EngineConfig): string {
  const address = 'baseUrl' in config ? config.baseUrl : undefined;
  if (address === undefined) return '';
  const { origin, pathname } = new URL(address);
  return ` (asked at ${origin}${pathname})`;
}

export interface EnginePage {
  engine: string;
  lines: EngineLine[];
}

export interface EngineLine extends Omit<EngineFinding, 'engine'> {
  trait: string;
}

const examinationMs = 180_000;
const bookCharacters = 100_000;

/** It makes three real calls to a model, one to others. */
export async function examineEngines(configs: readonly EngineConfig[]): Promise<EnginePage[]> {
  return await Promise.all(
    configs.map(async (config) => ({ engine: config.name, lines: await examineEngine(config) })),
  );
}

async function examineEngine(config: EngineConfig): Promise<EngineLine[]> {
  const engine = await createEngine(config);
  try {
    const answer = await askOnce(engine, config, passage);
    const answers = line('answers', answer.ok, answer.finding);
    if (!answer.ok || engine.examine === undefined) return [answers];
    return [answers, ...linesOf(engine, config, answer, await engine.examine(AbortSignal.timeout(examinationMs)))];
  } catch (error) {
    const finding = error instanceof EngineError ? error.message : `no answer within ${examinationMs / 1000} s`;
    return [line('answers', false, finding)];
  } finally {
    engine.close?.();
  }
}

function linesOf(engine: Engine, config: EngineConfig, answer: EngineAnswer, traits: ModelTraits): EngineLine[] {
  const { maxConcurrency } = engine.capabilities;
  const model = 'model' in config ? config.model : '';
  const book = bookTokens(answer, traits);
  const tokensPerSecond = answer.usage.outputTokens / Math.max(0.001, answer.seconds);
  const minutes = book.outputTokens / tokensPerSecond / maxConcurrency / 60;
  const learned = engine.learned?.inWords() ?? [];
  return [
    line('model', true, traits.server === undefined ? model : `${model} on ${traits.server}`),
    line('format', true, traits.format),
    line('window', traits.isHeadRead, windowInWords(traits)),
    line('thinking', true, thinkingInWords(traits)),
    line(
      'speed',
      true,
      `${Math.round(tokensPerSecond)} tokens a second; ${bookInWords} in about ${inMinutes(minutes)}`,
    ),
    line('at once', true, `at most ${maxConcurrency} calls from one process`),
    line('prompt cache', true, cacheInWords(traits)),
    line('price', true, priceInWords(engine, book)),
    line('learned', true, learned.join('; ') || 'nothing: it takes what it is sent'),
  ];
}

function line(trait: string, ok: boolean, finding: string): EngineLine {
  return { trait, ok, finding };
}

function windowInWords({ windowTokens, promptTokens, isHeadRead, headFault }: ModelTraits): string {
  const size = windowTokens === undefined ? 'not told' : `${count(windowTokens)} tokens`;
  if (isHeadRead) return `${size}; a prompt of ${count(promptTokens)} tokens is read from its first line`;
  const why = headFault ?? 'the codeword at its head did not come back: the server cuts prompts, or the model is weak';
  return `${size}; a prompt of ${count(promptTokens)} tokens is not read whole (${why})`;
}

function thinkingInWords({ effort, hasThoughts }: ModelTraits): string {
  const asked = effort === 'unset' ? 'nothing is said about it' : `set to ${effort}`;
  return hasThoughts ? `it thinks before it answers (${asked})` : `it answers at once (${asked})`;
}

function cacheInWords({ cachedTokens, promptTokens }: ModelTraits): string {
  if (cachedTokens === 0) return 'none seen: a repeated prompt costs as much as the first';
  return `${count(cachedTokens)} of ${count(promptTokens)} tokens of a repeated prompt`;
}

function priceInWords({ prices }: Engine, book: EngineUsage): string {
  if (prices === undefined) return 'unknown: "prices" of the engine are not set';
  const cost = Number(costOf(book, prices)) / 1e12;
  return `${cost.toPrecision(2)} for ${bookInWords}, in the currency of "prices"`;
}

/** As the passage was counted: rules and book with every segment, each text read once more for names, answers with their thoughts. */
function bookTokens({ usage }: EngineAnswer, { cachedTokens }: ModelTraits): EngineUsage {
  const sourceTokens = (bookCharacters * estimateTokens(passage)) / passage.length;
  const calls = Math.ceil(sourceTokens / segmentTokens);
  const rulesTokens = Math.max(0, usage.inputTokens - estimateTokens(passage));
  const stableTokens = calls * (rulesTokens + contextTokens);
  return {
    inputTokens: Math.round(stableTokens + 1.5 * sourceTokens),
    cachedInputTokens: cachedTokens > 0 ? calls * rulesTokens : 0,
    outputTokens: Math.round((usage.outputTokens * sourceTokens) / estimateTokens(passage)),
  };
}

const segmentTokens = 800;
/** Terms, people and the paragraphs around a segment. */
const contextTokens = 400;
const bookInWords = 'a book of 100,000 characters';

function inMinutes(minutes: number): string {
  return minutes < 1
    ? 'a minute'
    : minutes < 90
      ? `${Math.round(minutes)} minutes`
      : `${(minutes / 60).toFixed(1)} hours`;
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

const passage =
  'La lampe brûlait encore quand Mathilde descendit. Elle posa la lettre sur la table, sans un mot, et regarda la pluie qui tombait sur la cour. « Vous ne la lirez donc pas ? » demanda le vieux Renaud. Elle secoua la tête. Depuis trois jours, elle savait ce que cette lettre disait, et depuis trois jours elle cherchait une réponse qui ne fût ni un mensonge ni un adieu.';
