/** Spanish print: dashes around who speaks, « » inside, ¿ and ¡ where a question or a cry begins, the spelling of today. */
import { modernSpanish } from '../modern-spanish.ts';
import { pairQuotes, withEllipses } from './quotes.ts';

const tags = String.raw`(?:</?\d{1,6}/?>)*`;
const speechAtStart = new RegExp(String.raw`^(\s*${tags})[—–-]\s*(?=\S)`, 'u');

/** Of plain quotation marks and dashes. */
export function typesetSpanish(text: string): string {
  return withEllipses(text)
    .split('\n')
    .map((line) => withOpeningMarks(setDashes(modernSpanish(pairQuotes(line, '«', '»')))))
    .join('\n')
    .replaceAll("'", '’');
}

/** "—Sí—dijo él.—Voy" is "—Sí —dijo él—. Voy": one dash before who speaks, one behind, marks after the second. */
function setDashes(line: string): string {
  const isSpeech = speechAtStart.test(line);
  const lead = isSpeech ? withSpeakers(line.replace(speechAtStart, '$1—')) : line;
  const from = isSpeech ? lead.indexOf('—') + 1 : 0;
  let out = lead.slice(0, from);
  let inside = false;
  for (const [i, part] of lead
    .slice(from)
    .split(/\s*[—–]\s*/u)
    .entries()) {
    if (i === 0) out += part;
    else if (inside) {
      out = closeAside(out, part);
      inside = false;
    } else if (isSpeech && /[.!?…»]$/u.test(out) && /^[\p{Lu}¿¡«]/u.test(part)) out += ` ${part}`;
    else {
      out = out.replace(/,$/u, '');
      out += `${/\s$/u.test(out) || out === '' ? '' : ' '}—${part}`;
      inside = true;
    }
  }
  // Behind the last words of a paragraph nothing goes on.
  return isSpeech ? out.replace(/—([.…]?)$/u, '$1') : out;
}

const speakers =
  /, ((?:dijo|dijeron|respondió|contestó|replicó|repuso|exclamó|gritó|preguntó|añadió|continuó|prosiguió|murmuró|observó|pensó)(?![\p{L}\p{M}])[^,.;:—!?¿¡]{0,60})([,.;])/gu;

/** ", dijo ella," between commas, where no dash of the speech says who speaks. */
function withSpeakers(line: string): string {
  return line.indexOf('—') === line.lastIndexOf('—') ? line.replace(speakers, '—$1—$2') : line;
}

/** Marks that belong behind the second dash may stand on either side of it. */
function closeAside(before: string, after: string): string {
  const [, inner = before, mark = ''] = /^(.*?)([,;:.]?)$/su.exec(before) ?? [];
  const [, own = '', rest = after] = /^([,;:.]?)\s*(.*)$/su.exec(after) ?? [];
  const closing = own !== '' ? own : mark;
  return `${inner}—${closing}${rest === '' ? '' : ` ${rest}`}`;
}

/** A question or a cry that the model began without its mark gets it where the sentence begins. */
function withOpeningMarks(line: string): string {
  let start = 0;
  let out = '';
  for (const { index, 0: end } of line.matchAll(/[.!?…]+[»”)]*(?=\s|$|[—<])/gu)) {
    const stop = index + end.length;
    out += opened(line.slice(start, stop), end);
    start = stop;
  }
  return out + line.slice(start);
}

function opened(sentence: string, end: string): string {
  const [mark, opening] = end.startsWith('?') ? ['?', '¿'] : end.startsWith('!') ? ['!', '¡'] : [];
  if (mark === undefined || opening === undefined) return sentence;
  const inner = sentence.slice(0, sentence.lastIndexOf(end));
  if (/[¿¡]/u.test(inner)) return sentence;
  return sentence.replace(/^((?:\s|<\/?\d{1,6}\/?>|[—«“(])*)/u, `$1${opening}`);
}
