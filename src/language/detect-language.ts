/**
 * Which language a text is written in. Scripts that belong to one language are settled by counting. CLD3 (as
 * WebAssembly) decides the rest, because it was right most often of all candidates measured
 * (docs/decisions/2026-11-15-language-detection.md). The pairs CLD3 confuses are settled by words that only one of the
 * two uses, and a text too short for it by common words. Only languages that a partner can ask for are answered.
 */
import { type LanguageIdentifier, loadModule } from 'cld3-asm';
import { withoutBoilerplate } from './boilerplate.ts';
import { chineseVariant } from './chinese-variant.ts';
import { refineCloseLanguages } from './close-languages.ts';
import { matchCommonWords } from './common-words.ts';
import { parseLanguage } from './languages.ts';
import { languageByScript } from './single-script.ts';

export interface DetectedLanguage {
  /** ISO 639-1 code; `zh` or `zh-Hant` for Chinese. */
  code: string;
  /** 0 to 1: how sure, and how much of the text agrees. */
  confidence: number;
}

/**
 * The language of a whole book, for every action the same: stretches from all over it vote, licences do not. Undefined when the
 * text holds no words, or too few to tell.
 */
export async function detectBookLanguage(paragraphs: readonly string[]): Promise<DetectedLanguage | undefined> {
  return judge(stretchesOf(withoutBoilerplate(paragraphs)), await loadIdentifier());
}

/** What a source is taken to be in when nobody has told us: what the text shows, else what the file says of itself. */
export function likelyLanguage(
  detected: DetectedLanguage | undefined,
  declaredInBook: string | null | undefined,
): string | undefined {
  return detected?.code ?? (declaredInBook ? parseLanguage(declaredInBook)?.tag : undefined);
}

function judge(stretches: readonly string[], identifier: LanguageIdentifier): DetectedLanguage | undefined {
  const votes = new Map<string, number>();
  let letters = 0;
  let unread = stretches.reduce((sum, stretch) => sum + stretch.length, 0);
  const isLong = stretches.length === stretchCount;
  for (const stretch of everySecondFirst(stretches)) {
    unread -= stretch.length;
    const size = stretch.match(/\p{L}/gu)?.length ?? 0;
    if (size === 0) continue;
    letters += size;
    const vote = detectStretch(stretch, size, identifier);
    if (vote !== undefined) votes.set(vote.code, (votes.get(vote.code) ?? 0) + vote.confidence * size);
    if (isLong && isSettled(votes, letters, unread)) break;
  }
  const best = [...votes].sort((a, b) => b[1] - a[1])[0];
  if (best === undefined) return undefined;
  const [language, weight] = best;
  const text = stretches.join('\n');
  const code = language === 'zh' && chineseVariant(text) === 'Hant' ? 'zh-Hant' : refineCloseLanguages(language, text);
  return { code, confidence: Math.round((weight / letters) * 1000) / 1000 };
}

/** Half of them are from all parts of the book. */
function everySecondFirst(stretches: readonly string[]): string[] {
  return [...stretches.filter((_, i) => i % 2 === 0), ...stretches.filter((_, i) => i % 2 === 1)];
}

const sureShare = 0.95;

/**
 * All that were asked agree and are sure of it, and the rest could not outvote them: thirteen stretches of a novel. Where one of them does
 * not, everybody is asked, so that it shows in the confidence.
 */
function isSettled(votes: ReadonlyMap<string, number>, letters: number, unread: number): boolean {
  const [weight = 0] = votes.values();
  return votes.size === 1 && weight > unread && weight >= letters * sureShare;
}

let loading: Promise<LanguageIdentifier> | undefined;

/** The model is 1 MB and takes some 30 ms to start: loaded when first asked for, kept for the life of the process. */
function loadIdentifier(): Promise<LanguageIdentifier> {
  loading ??= loadModule({ timeout: startTimeoutMs }).then((factory) => factory.create(0, 4000));
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** Generous, because on a machine with too much to do the 30 ms were seen to become seconds, and no task should fail for that. */
const startTimeoutMs = 60_000;

const stretchCount = 24;
const stretchLength = 600;

/** At most 24 stretches, evenly spread, so that a foreign preface or a chapter of letters does not decide. */
function stretchesOf(paragraphs: readonly string[]): string[] {
  const total = paragraphs.reduce((sum, text) => sum + text.length + 1, 0);
  // Short texts are cut as well, so that a mixed one shows in the confidence.
  const count = Math.min(stretchCount, Math.max(1, Math.ceil(total / stretchLength)));
  const step = total / count;
  const length = Math.min(stretchLength, Math.ceil(step));
  const stretches = new Array<string>(count).fill('');
  let offset = 0;
  for (const text of paragraphs) {
    const from = Math.floor(offset / step);
    const to = Math.min(count - 1, Math.floor((offset + text.length) / step));
    for (let i = from; i <= to; i++) {
      const start = Math.floor(i * step);
      const piece = text.slice(Math.max(0, start - offset), Math.max(0, start + length - offset));
      if (piece !== '') stretches[i] = stretches[i] === '' ? piece : `${stretches[i]}\n${piece}`;
    }
    offset += text.length + 1;
  }
  return stretches;
}

/** Below this many letters CLD3 guesses: "Hello world" is Kyrgyz to it. */
const enoughLetters = 80;

function detectStretch(stretch: string, letters: number, identifier: LanguageIdentifier): DetectedLanguage | undefined {
  // White space and markup carry nothing, and lone surrogates at the edges cannot cross into WebAssembly.
  const clean = stretch.replace(/<\/?\d+\/?>|\s+/g, ' ').toWellFormed();
  const byScript = languageByScript(clean);
  if (byScript !== undefined) return byScript;
  const guess = identifier.findLanguage(clean);
  const code = normalise(guess.language);
  const offered = guess.language !== 'und' && parseLanguage(code) !== undefined;
  const guessed = offered ? { code, confidence: guess.probability } : undefined;
  return letters >= enoughLetters && guessed !== undefined ? guessed : detectShort(clean, letters, guessed);
}

/** Too unsure to be an answer: better ask for the language than translate from a wrong one. */
const leastConfidence = 0.5;

/**
 * Common words decide; the model breaks ties between languages that share them. Without any common word the model is
 * believed only in what it is very sure of, the more the longer the text.
 */
function detectShort(
  text: string,
  letters: number,
  guessed: DetectedLanguage | undefined,
): DetectedLanguage | undefined {
  const { matches } = matchCommonWords(text);
  const [first, second] = matches;
  const supported = matches.find(({ code }) => code === guessed?.code);
  const found: DetectedLanguage[] = [];
  if (first !== undefined) {
    const isAlone = second === undefined || first.share - second.share >= 0.15;
    const support = first.share * (1 - 0.5 ** first.distinct);
    if (isAlone) found.push({ code: first.code, confidence: support });
    if (guessed !== undefined && supported !== undefined && supported.share >= first.share * 0.8) {
      const agreed = 0.4 + 0.5 * supported.share * guessed.confidence;
      found.push({ code: guessed.code, confidence: Math.min(0.95, agreed + support / 4) });
    }
  }
  if (guessed !== undefined && guessed.confidence > 0.9) {
    const byLength = Math.min(1, 0.3 + (0.7 * letters) / enoughLetters);
    found.push({ code: guessed.code, confidence: guessed.confidence * byLength });
  }
  const best = found.sort((a, b) => b.confidence - a.confidence)[0];
  return best !== undefined && best.confidence >= leastConfidence ? best : undefined;
}

/** CLD3 uses a few codes of its own: `iw`, `no` for Bokmål, `ru-Latn` for transliterated text. */
function normalise(code: string): string {
  if (code === 'iw') return 'he';
  if (code === 'no') return 'nb';
  return code.startsWith('zh') ? 'zh' : code.replace(/-.*$/, '');
}
