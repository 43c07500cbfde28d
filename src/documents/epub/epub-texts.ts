import type { Block, Translations, WriteOptions } from '../document.ts';
import { adaptingCss } from '../html/css.ts';
import type { LabelIndex } from '../html/labels.ts';
import type { Page } from '../html/page.ts';
import type { PageWriting } from '../html/write-page.ts';
import { textOf } from '../markup/markup.ts';
import type { OpeningRange } from './opening-range.ts';

/** What the writers of the parts share. */
export interface EpubTexts {
  options: WriteOptions;
  dialect: PageWriting['dialect'];
  labels: LabelIndex;
  blocks: ReadonlyMap<string, Block>;
  translations: Translations;
  translateLabel: (raw: string) => string | undefined;
  /** An output of a task is a book of its own: identifier, date and title are not those of the source. */
  hasOwnIdentity: boolean;
  /** All style sheets of the book. */
  styles: string;
  /** Undefined for a whole book. */
  range: OpeningRange | undefined;
}

/** What a page and the navigation document are both written with. */
export function pageLooks(page: Page, texts: EpubTexts): Pick<PageWriting, 'dialect' | 'title' | 'head'> {
  const css = adaptingCss(texts.styles + page.tree.source, texts.options);
  return {
    dialect: texts.dialect,
    title: page.title && texts.translateLabel(textOf(page.title)),
    head: css && `<style type="text/css">${css}</style>`,
  };
}
