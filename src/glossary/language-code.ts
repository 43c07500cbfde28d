/** `zh` of `zh-Hant`. */
export function languageCode(tag: string): string {
  const dash = tag.indexOf('-');
  return dash < 0 ? tag : tag.slice(0, dash);
}
