import { hanziPairs } from './common-characters.ts';

/** Simplified or traditional Chinese, by the characters that only one of them uses; simplified when there are none. */
export function chineseVariant(text: string): 'Hans' | 'Hant' {
  let simplified = 0;
  let traditional = 0;
  for (const char of text) {
    const side = sideOf.get(char);
    if (side === 'Hans') simplified++;
    else if (side === 'Hant') traditional++;
  }
  return traditional > simplified ? 'Hant' : 'Hans';
}

const sideOf = new Map<string, 'Hans' | 'Hant'>();
for (let i = 0; i + 1 < hanziPairs.length; i += 2) {
  const [simplified, traditional] = [hanziPairs[i] as string, hanziPairs[i + 1] as string];
  // Forms that both variants write (后, 里, 干, 余 …) prove nothing for simplified but still count against it.
  if (simplified === traditional) continue;
  if (!'后里干余叶几范划冲松云斗谷丑只台着近'.includes(simplified)) sideOf.set(simplified, 'Hans');
  if (!'著於'.includes(traditional)) sideOf.set(traditional, 'Hant');
}
