/**
 * Which language a text is written in. CLD3 (as WebAssembly) decides: it was right most often of all candidates measured
 * (docs/decisions/2026-11-15-language-detection.md). Scripts that belong to one language are settled by counting, and the
 * pairs CLD3 confuses by words that only one of the two uses.
 */
import { type LanguageIdentifier, loadModule } from 'cld3-asm';
import { chineseVariant } from './chinese-variant.ts';
import { refineCloseLanguages } from './close-languages.ts';

export interface DetectedLanguage {
  /** ISO 639-1 code; `zh` or `zh-Hant` for Chinese. */
  code: string;
  /** 0 to 1: how sure, and how much of the text agrees. */
  confidence: number;
}

/** Undefined when the text holds no words. A novel takes a few milliseconds: stretches from all over it are looked at. */
export async function detectLanguage(text: string): Promise<DetectedLanguage | undefined> {
  const identifier = await loadIdentifier();
  const votes = new Map<string, number>();
  const stretches = stretchesOf(text);
  let letters = 0;
  for (const stretch of stretches) {
    const size = stretch.match(/\p{L}/gu)?.length ?? 0;
    if (size === 0) continue;
    letters += size;
    const vote = detectStretch(stretch, identifier);
    if (vote !== undefined) votes.set(vote.code, (votes.get(vote.code) ?? 0) + vote.confidence * size);
  }
  const best = [...votes].sort((a, b) => b[1] - a[1])[0];
  if (best === undefined) return undefined;
  const [language, weight] = best;
  const agreeing = stretches.join('\n');
  const code =
    language === 'zh' && chineseVariant(agreeing) === 'Hant' ? 'zh-Hant' : refineCloseLanguages(language, agreeing);
  return { code, confidence: Math.round((weight / letters) * shortTextFactor(letters) * 1000) / 1000 };
}

let loading: Promise<LanguageIdentifier> | undefined;

/** The model is 1 MB and takes some 30 ms to start: loaded when first asked for, kept for the life of the process. */
function loadIdentifier(): Promise<LanguageIdentifier> {
  loading ??= loadModule().then((factory) => factory.create(0, 4000));
  return loading;
}

/** Below 20 letters a guess is a guess, whatever the model thinks of it. */
function shortTextFactor(letters: number): number {
  return Math.min(1, 0.4 + (0.6 * letters) / 20);
}

const stretchCount = 9;
const stretchLength = 600;

/** Nine stretches outvote a preface or a licence in another language. */
function stretchesOf(text: string): string[] {
  if (text.length <= stretchCount * stretchLength) {
    // Short texts are cut too, so that a mixed one shows in the confidence.
    const size = Math.max(stretchLength, Math.ceil(text.length / stretchCount));
    return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
  }
  const step = (text.length - stretchLength) / (stretchCount - 1);
  return Array.from({ length: stretchCount }, (_, i) => {
    const from = Math.floor(i * step);
    return text.slice(from, from + stretchLength);
  });
}

function detectStretch(stretch: string, identifier: LanguageIdentifier): DetectedLanguage | undefined {
  // White space and markup carry nothing, and lone surrogates at the edges cannot cross into WebAssembly.
  const clean = stretch.replace(/<\/?\d+\/?>|\s+/g, ' ').toWellFormed();
  const byScript = detectByScript(clean);
  if (byScript !== undefined) return byScript;
  const found = identifier.findLanguage(clean);
  if (found.language === 'und') return undefined;
  return { code: normalise(found.language), confidence: found.probability };
}

/** East Asian scripts, even a few characters of them. Kana next to Han is Japanese; a single kana in Chinese is not. */
function detectByScript(text: string): DetectedLanguage | undefined {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  const kana = count(/[\u3041-\u30fa\u30fc]/g);
  const han = count(/\p{Script=Han}/gu);
  const hangul = count(/[\uac00-\ud7a3]/g);
  const eastAsian = kana + han + hangul;
  if (eastAsian < letters * 0.4) return undefined;
  const code = hangul > eastAsian / 3 ? 'ko' : kana * 12 > han ? 'ja' : 'zh';
  return { code, confidence: eastAsian / letters };
}

/** CLD3 uses a few codes of its own: `iw`, `no` for Bokmål, `ru-Latn` for transliterated text. */
function normalise(code: string): string {
  if (code === 'iw') return 'he';
  if (code === 'no') return 'nb';
  return code.startsWith('zh') ? 'zh' : code.replace(/-.*$/, '');
}
