/**
 * Lists of thousands of values as PostgreSQL reads them. The driver looks at every value for what it is and at every character of it, which
 * takes as long as the server needs to insert the rows.
 */

/** Numbers and UUIDs: nothing in them means anything to the server. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

export function textArray(values: readonly string[]): string {
  return `{${values.map(quoted).join(',')}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}
