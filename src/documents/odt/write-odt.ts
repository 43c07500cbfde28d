/** Writes an OpenDocument text with its text translated. Everything but the spliced parts stays byte-identical. */

import { escapeText } from '../../escape.ts';
import { baseCode, isRightToLeft, scriptOf } from '../../language/languages.ts';
import { rewriteArchive } from '../archive/archive-writer.ts';
import type { WriteOptions, Writer } from '../document.ts';
import type { FlowBlock, FlowPart } from '../flow/flow-part.ts';
import type { FlowDialect } from '../flow/render-flow.ts';
import { writeFlow, writtenParts } from '../flow/write-flow.ts';
import type { Edits } from '../markup/edits.ts';
import { elementsOf, type MarkupElement } from '../markup/markup.ts';
import { markSide } from '../translation-mark.ts';
import { isChangeMark, openOdt } from './odt-source.ts';
import { TranslationStyles } from './translation-styles.ts';

export const writeOdt: Writer = (bytes, document, translations, options) => {
  const source = openOdt(bytes);
  const side = markSide(options.targetLang);
  const styles = new Map(source.parts.map((part) => [part, new TranslationStyles(part, side)]));
  const { edits, warnings } = writeFlow(source.parts, source.blocks, {
    document,
    translations,
    options,
    dialectOf: () => dialect,
    copyOf: (block, inner) => copyOf(block, inner, styles.get(block.part) as TranslationStyles),
    setOff: ({ part }, inner) => `<text:span text:style-name="${styles.get(part)?.shared()}">${inner}</text:span>`,
    prepare: acceptChanges,
  });
  for (const [part, partEdits] of edits) {
    if (translations.size > 0) for (const element of elementsOf(part.tree.root)) markStyle(element, partEdits, options);
    styles.get(part)?.write(partEdits, (element, target) => markStyle(element, target, options));
  }
  return {
    bytes: rewriteArchive(source.archive, {
      replace: writtenParts(edits),
      first: { name: 'mimetype', content: Buffer.from('application/vnd.oasis.opendocument.text') },
    }),
    extension: 'odt',
    mediaType: 'application/vnd.oasis.opendocument.text',
    warnings,
  };
};

/** White space collapses in this format, so a second blank is written as an element. */
const dialect: FlowDialect = {
  text: (text) =>
    escapeText(text.replaceAll('\t', ' ')).replace(/ {2,}/g, (blanks) => ` <text:s text:c="${blanks.length - 1}"/>`),
  lineBreak: () => '<text:line-break/>',
};

/** A heading stays one entry of the outline: there the translation follows after a line break. */
function copyOf(block: FlowBlock, inner: string, styles: TranslationStyles): string | undefined {
  if (block.kind === 'heading') return undefined;
  const { container, part } = block;
  const style = styles.paragraph(container.attributes['text:style-name']);
  const open = part.tree.source
    .slice(container.start, container.openEnd)
    .replace(/\s+(?:xml:id|text:id|text:style-name)\s*=\s*(?:"[^"]*"|'[^']*')/g, '')
    .replace(/^<text:p/, `$& text:style-name="${style}"`);
  return `${open}${inner}${part.tree.source.slice(container.closeStart, container.end)}`;
}

/** What a tracked change has taken out would stay in the source language, and its marks would point to nothing. */
function acceptChanges({ tree }: FlowPart, edits: Edits): void {
  if (!tree.source.includes('<text:change')) return;
  for (const element of elementsOf(tree.root))
    if (element.name === 'text:tracked-changes' || isChangeMark(element)) edits.remove(element.start, element.end);
}

/** The default styles name the language; a spelling checker and a screen reader go by it. */
function markStyle(element: MarkupElement, edits: Edits, { sourceLang, targetLang }: WriteOptions): void {
  const { parent } = element;
  const isDefault = parent?.name === 'style:default-style' && parent.attributes['style:family'] === 'paragraph';
  if (element.name === 'style:text-properties') {
    const script = scriptOf(targetLang);
    const suffix = ['Hans', 'Hant', 'Jpan', 'Kore'].includes(script)
      ? '-asian'
      : complexScripts.has(script)
        ? '-complex'
        : '';
    const locale = new Intl.Locale(targetLang).maximize();
    const prefix = suffix === '' ? 'fo' : 'style';
    if (!isDefault && element.attributes[`${prefix}:language${suffix}`] !== baseCode(sourceLang)) return;
    edits.setAttribute(element, `${prefix}:language${suffix}`, locale.language);
    edits.setAttribute(element, `${prefix}:country${suffix}`, locale.region ?? 'none');
  } else if (element.name === 'style:paragraph-properties' && isDefault) {
    const isTurned = isRightToLeft(targetLang) !== isRightToLeft(sourceLang);
    if (isTurned) edits.setAttribute(element, 'style:writing-mode', isRightToLeft(targetLang) ? 'rl-tb' : 'lr-tb');
  }
}

const complexScripts = new Set('Arab Hebr Thai Deva Beng Taml Telu Knda Mlym Gujr Guru Sinh Khmr Laoo Mymr'.split(' '));
