/** Plain quotation marks as a language prints them. Inline tags are nothing beside them. */

/** `she said, " Edmond` opens and `I know, " she said` closes: those that could do either open and close in turn. */
export function pairQuotes(text: string, open: string, close: string): string {
  const parts = text.split('"');
  let isOpen = false;
  return parts.reduce((before, after) => {
    const left = /(\S?)(?:<\/?\d{1,6}\/?>)*$/u.exec(before)?.[1] ?? '';
    const right = /^(?:<\/?\d{1,6}\/?>)*(\S?)/u.exec(after)?.[1] ?? '';
    const mayOpen = left === '' || /[([{«—–'’:]/u.test(left);
    const mayClose = right === '' || /[)\]}».,;:!?…—–]/u.test(right);
    const opens = mayOpen === mayClose ? !isOpen : mayOpen;
    isOpen = opens;
    return opens ? `${before}${open}${after.trimStart()}` : `${before.trimEnd()}${close}${after}`;
  });
}

/** Three full stops, with or without blanks between them. */
export function withEllipses(text: string): string {
  return text.replace(/\.(?: ?\.){2,}/g, '…');
}
