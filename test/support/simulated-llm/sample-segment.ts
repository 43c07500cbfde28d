import type { TranslateRequest } from '../../../src/engines/engine.ts';
import { seeded } from './random.ts';

const characters = [
  ...'的了一是不在他有这人上来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开手十定回头',
];

/** A segment of invented Chinese, about `length` characters in paragraphs of 30 to 120: the same for the same index. */
export function sampleSegment(index: number, length: number): TranslateRequest {
  const blocks: { id: string; text: string }[] = [];
  let written = 0;
  while (written < length) {
    const size = Math.min(length - written, 30 + Math.floor(seeded(1, 'size', index, blocks.length) * 90));
    const text = `${sampleText(`${index}/${blocks.length}`, Math.max(1, size - 1))}。`;
    blocks.push({ id: `s${index}-${blocks.length}`, text });
    written += text.length;
  }
  return {
    sourceLang: 'zh-Hans',
    targetLang: 'en',
    blocks,
    terms: [],
    roster: [],
    context: { before: [], after: [] },
  };
}

export function sampleText(key: string, length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) {
    text += i % 14 === 13 ? '，' : (characters[Math.floor(seeded(2, key, i) * characters.length)] ?? '');
  }
  return text;
}
