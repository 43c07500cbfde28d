/** What a label becomes: the translation of the block it repeats, on one line and without markup. */
import { stripInlineTags } from '../../inline-tags.ts';
import type { Translations } from '../document.ts';
import { type LabelIndex, labelText } from './labels.ts';

/** Undefined when the label keeps its text. Bilingual labels show both, as a contents list has one line for each. */
export function labelTranslator(
  labels: LabelIndex,
  translations: Translations,
  variant: 'translated' | 'bilingual',
): (raw: string) => string | undefined {
  return (raw) => {
    const source = labelText(raw);
    const id = labels.idOf(source);
    const translation = id === undefined ? undefined : translations.get(id);
    if (translation === undefined) return undefined;
    const text = labelText(stripInlineTags(translation));
    if (text === '' || text === source) return undefined;
    return variant === 'bilingual' ? `${source} — ${text}` : text;
  };
}
