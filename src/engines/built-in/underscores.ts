/** _Emphasis_ of plain text: formatting, so the model gets it as tags and never as letters. */
import { inlineTagsOf } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { BlockContext } from './sentence.ts';

const emphasized = /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu;

export interface Emphasis {
  /** With tags in place of underscores. */
  text: string;
  restore(translation: string, context: BlockContext): string;
}

export function readUnderscores(text: string): Emphasis {
  let number = Math.max(0, ...inlineTagsOf(text).map((tag) => Number(/\d+/.exec(tag)?.[0] ?? 0)));
  const first = number + 1;
  const tagged = text.replace(emphasized, (_, inner: string) => {
    number++;
    return `<${number}>${inner}</${number}>`;
  });
  if (number < first) return { text, restore: (translation) => translation };
  return {
    text: tagged,
    restore(translation, { targetLang, terms }) {
      const renderings = new Map(terms.map(({ source, target }) => [source, target]));
      const { text: complete } = projectTags(tagged, translation, targetLang, renderings);
      return complete.replace(/<\/?(\d{1,6})>/g, (tag, own: string) => (Number(own) >= first ? '_' : tag));
    },
  };
}
