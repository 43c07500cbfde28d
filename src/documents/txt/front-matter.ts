/** What a plain text says about itself in its opening lines, and the frame that is not part of the book. */
import { languageName, supportedLanguages } from '../../language/languages.ts';
import { beginsBook, endsBook } from '../licence-text.ts';
import { isBlank, type Lines, lineText } from './lines.ts';

export interface FrontMatter {
  title: string | undefined;
  author: string | undefined;
  language: string | undefined;
  /** Lines of the distributor's header and licence. They stay as they are: their wording is prescribed. */
  frame: Set<number>;
}

export function readFrontMatter(text: string, lines: Lines): FrontMatter {
  const front: FrontMatter = {
    title: undefined,
    author: undefined,
    language: undefined,
    frame: licenceFrame(text, lines),
  };
  let seen = 0;
  for (let i = 0; i < lines.count && seen < 25; i++) {
    if (isBlank(lines, i)) continue;
    seen++;
    const length = (lines.to[i] as number) - (lines.from[i] as number);
    if (length > 120) continue;
    const line = lineText(text, lines, i);
    const labelled =
      /^(?<label>title|author|language|书名|書名|作者|著者|タイトル|제목|지은이|저자|titre|auteur|название|автор)\s*[:：]\s*(?<value>\S.*)$/iu.exec(
        line,
      )?.groups;
    if (labelled) setLabelled(front, (labelled.label as string).toLowerCase(), labelled.value as string);
    else if (seen === 1) {
      const bracketed = /^《(?<title>[^》]{1,40})》\s*(?:作者\s*[:：]?\s*)?(?<author>[^\s:：，。]{1,20})?$/u.exec(
        line,
      )?.groups;
      front.title = bracketed?.title;
      front.author = bracketed?.author;
    }
  }
  return front;
}

function setLabelled(front: FrontMatter, label: string, value: string): void {
  if (label === 'language') front.language = codeOfName(value);
  else if (['author', '作者', '著者', '지은이', '저자', 'auteur', 'автор'].includes(label)) front.author ??= value;
  else front.title ??= value.replace(/^《(.*)》$/u, '$1');
}

function codeOfName(name: string): string | undefined {
  return supportedLanguages.find((code) => languageName(code).toLowerCase() === name.trim().toLowerCase());
}

/** Of old files the licence comes first, with some 300 lines; of newer ones it comes last, with some 350. */
function licenceFrame(text: string, lines: Lines): Set<number> {
  const frame = new Set<number>();
  const headOf = (i: number) =>
    text.slice(lines.from[i], Math.min(lines.to[i] as number, (lines.from[i] as number) + 80));
  for (let i = 0; i < Math.min(lines.count, 800); i++) {
    if (text[lines.from[i] as number] === '*' && beginsBook(headOf(i)))
      for (let line = 0; line <= i; line++) frame.add(line);
  }
  for (let i = Math.max(0, lines.count - 1000); i < lines.count; i++) {
    if (frame.has(i) || !'*E'.includes(text[lines.from[i] as number] ?? ' ') || !endsBook(headOf(i))) continue;
    for (let line = i; line < lines.count; line++) frame.add(line);
    break;
  }
  return frame;
}
