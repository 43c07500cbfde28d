/** Text that must stay text: characters that would begin markup are escaped, and only those. */
export function escapeMarkdown(text: string, inTable: boolean): string {
  const escaped = text
    .replace(/[\\`*[\]<~]/g, '\\$&')
    // An underscore inside a word is no emphasis in CommonMark.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&');
  return inTable ? escaped.replaceAll('|', '\\|') : escaped;
}

/** What would make the first line of a block a heading, a quote, a list or a rule. */
export function escapeLineStart(markup: string): string {
  return markup
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([>+-])(?=\s|$|[>+-])/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^(=+|-+)\s*$/, '\\$1');
}
