/** English tells speech by quotation marks; French, Spanish and Italian by a dash at the head of the paragraph. */
import { typographyOf } from '../../language/typography/typography.ts';

const tags = String.raw`(?:</?\d{1,6}/?>)*`;
const spokenAtStart = new RegExp(String.raw`^\s*${tags}["“]`, 'u');
const dashAtStart = new RegExp(String.raw`^(\s*${tags})[—–-]\s*(?=\S)`, 'u');
const head = new RegExp(String.raw`^(\s*${tags})"?\s*`, 'u');

/** A paragraph of the translation, in plain marks, that begins with a dash where its source begins with speech, and only there. */
export function withSpeechMarks(source: string, translation: string, targetLang: string): string {
  if (!typographyOf(targetLang).speechByDash) return translation;
  const hasDash = dashAtStart.test(translation);
  if (spokenAtStart.test(source)) {
    const isPaired = hasDash && translation.split('"').length % 2 === 1;
    return isPaired
      ? translation
      : translation.replaceAll('"', (mark, at) => (at === 0 ? mark : '')).replace(head, hasDash ? '$1' : '$1—');
  }
  const narrated = hasDash && !/^\s*[—–-]/u.test(source) ? translation.replace(dashAtStart, '$1') : translation;
  // Speech that ends a paragraph of narration stands in marks of its own.
  return /["”]\s*$/u.test(source) && !narrated.includes('"')
    ? narrated.replace(/: ?—\s*([^—]+)$/u, ': "$1"')
    : narrated;
}

const opening =
  /(?<=^|[\s(—–>])[‘'](?=[\p{L}…—])(?!(?:tis|twas|twere|twill|em|til|till|cause|bout|ere|neath|gainst|n)(?![\p{L}]))/giu;
const closing = /(?<=[,.!?…;:—–])[’'](?=$|[\s)—–<])/gu;

/** Many British books speak in ‘single’ marks, which the model takes for apostrophes. */
export function withDoubleQuotes(text: string): string {
  if (/["“”]/u.test(text)) return text;
  const [opened, closed] = [text.match(opening)?.length ?? 0, text.match(closing)?.length ?? 0];
  // A speech that goes on in the next paragraph is not closed in this one.
  if (opened === 0 || opened - closed > 1 || closed > opened) return text;
  return text.replace(opening, '“').replace(closing, '”');
}
