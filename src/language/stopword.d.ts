/** The lists are plain arrays under ISO 639-3 names; the package brings no types of its own. */
declare module 'stopword' {
  const lists: Readonly<Record<string, readonly string[] | ((...args: never[]) => unknown)>>;
  export default lists;
}
