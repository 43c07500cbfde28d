import type { Block, Translations, WriteOptions } from '../document.ts';
import type { LabelIndex } from '../html/labels.ts';
import type { Dialect } from '../html/language-marks.ts';

/** What the writers of the parts share. */
export interface EpubTexts {
  options: WriteOptions;
  dialect: Dialect;
  labels: LabelIndex;
  blocks: ReadonlyMap<string, Block>;
  translations: Translations;
  translateLabel: (raw: string) => string | undefined;
  /** An output of a task is a book of its own: identifier, date and title are not those of the source. */
  hasOwnIdentity: boolean;
}
