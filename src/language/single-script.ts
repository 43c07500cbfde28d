import { pairsIn } from './pairs.ts';

/** Scripts that only one of the languages we offer is written in: counting letters settles them, even in one word. */
export function languageByScript(text: string): { code: string; confidence: number } | undefined {
  const letters = count(text, /\p{L}/gu);
  if (letters === 0) return undefined;
  return eastAsian(text, letters) ?? soleScript(text, letters);
}

/** Kana next to Han is Japanese; a single kana in Chinese is not. */
function eastAsian(text: string, letters: number): { code: string; confidence: number } | undefined {
  const kana = count(text, /[\u3041-\u30fa\u30fc]/g);
  const han = count(text, /\p{Script=Han}/gu);
  const hangul = count(text, /[\uac00-\ud7a3]/g);
  const all = kana + han + hangul;
  if (all < letters * 0.4) return undefined;
  const code = hangul > all / 3 ? 'ko' : kana * 12 > han ? 'ja' : 'zh';
  return { code, confidence: Math.min(1, all / letters) };
}

function soleScript(text: string, letters: number): { code: string; confidence: number } | undefined {
  for (const { code, pattern } of soleScripts) {
    const share = count(text, pattern) / letters;
    if (share > 0.6) return { code, confidence: share };
  }
  return undefined;
}

const soleScripts = pairsIn(
  'el=Greek he=Hebrew hy=Armenian ka=Georgian th=Thai lo=Lao km=Khmer my=Myanmar bn=Bengali ta=Tamil ' +
    'te=Telugu ml=Malayalam kn=Kannada gu=Gujarati pa=Gurmukhi si=Sinhala am=Ethiopic',
).map(([code, script]) => ({ code, pattern: new RegExp(`(?=\\p{L})\\p{Script=${script}}`, 'gu') }));

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
