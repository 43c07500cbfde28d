/** Inline tags as the model learned them: `<1>…</1>` and `<x2/>`, numbered from 1 to 9, with spaces around. */
import { inlineTagsNest, inlineTagsOf, stripInlineTags, tokenizeInline } from '../../inline-tags.ts';

export const maxModelTags = 9;

/** Undefined when the text has more tags than the model knows, or only half of a pair. */
export function toModelTags(source: string) {
  const numbers: number[] = [];
  const glued = new Set<number>();
  if (!inlineTagsNest(source)) return undefined;
  let text = '';
  for (const token of tokenizeInline(source)) {
    if (token.kind === 'text') {
      text += token.text;
      continue;
    }
    if (!numbers.includes(token.number)) numbers.push(token.number);
    const place = numbers.indexOf(token.number) + 1;
    if (token.kind === 'standalone' && /\S$/u.test(text)) glued.add(place);
    text += token.kind === 'standalone' ? ` <x${place}/> ` : token.kind === 'open' ? ` <${place}> ` : ` </${place}> `;
  }
  if (numbers.length > maxModelTags) return undefined;
  const wanted = inlineTagsOf(source).join();
  return {
    /** For the model. */
    text: text.replace(/ +/g, ' ').trim(),
    /** Puts the numbers and spaces of the source back; undefined when tags were lost, invented or crossed. */
    restore(translation: string): string | undefined {
      const restored = tighten(translation, glued).replace(
        /<(\/?)(x?)([1-9])(\/?)>/g,
        (_tag, close: string, _x: string, own: string, alone: string) =>
          `<${close}${numbers[Number(own) - 1] ?? 0}${alone}>`,
      );
      return inlineTagsOf(restored).join() === wanted && inlineTagsNest(restored) ? restored : undefined;
    },
  };
}

/** Without any tag of the model, for text that was sent without. */
export function withoutModelTags(translation: string): string {
  return stripInlineTags(tighten(translation, everyTag).replace(/<x([1-9])\/>/g, '<$1/>'))
    .replace(/ +/g, ' ')
    .replace(/(?<=[([“«]) | (?=[)\]”»])/gu, '')
    .trim();
}

const everyTag: ReadonlySet<number> = new Set(Array.from({ length: maxModelTags }, (_, i) => i + 1));

/** Takes back the spaces that only the model needed, and gives those that it forgot between two words. */
function tighten(text: string, glued: ReadonlySet<number>): string {
  return text
    .replace(/(?<=[\p{L}\p{N},.;:!?…])(?=<[1-9]>|<x[1-9]\/>)/gu, ' ')
    .replace(/(?<=<\/[1-9]>|<x[1-9]\/>)(?=[\p{L}\p{N}])(?!e?s(?![\p{L}\p{N}]))/gu, ' ')
    .replace(/(<[1-9]>) /g, '$1')
    .replace(/ (<\/[1-9]>)/g, '$1')
    .replace(/ <x([1-9])\/>/g, (tag, own: string) => (glued.has(Number(own)) ? tag.trimStart() : tag))
    .replace(/(<\/[1-9]>|<x[1-9]\/>) (?=[,.;:!?…)”]|"(?!\p{L}))/gu, '$1');
}
